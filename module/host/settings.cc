#include "module/host/settings.h"

namespace millrace::module {

namespace {

constinit long long block_bytes = BlockLimits{}.bytes;
constinit long long pending_max = 1'000'000;

// docs/settings.md describes each.
constexpr abi::Setting kSettings[] = {
    {.name = "block-bytes",
     .initial = BlockLimits{}.bytes,
     .min = 256,
     .max = 1024 * 1024,
     .is_memory = true,
     .value = &block_bytes},
    {.name = "pending-max",
     .initial = 1'000'000,
     .min = 1,
     .max = 1'000'000'000'000,
     .is_memory = false,
     .value = &pending_max},
};

}  // namespace

std::span<const abi::Setting> all_settings() { return kSettings; }

BlockLimits block_limits() { return {.bytes = static_cast<uint32_t>(block_bytes)}; }

uint64_t default_pending_max() { return static_cast<uint64_t>(pending_max); }

}  // namespace millrace::module
