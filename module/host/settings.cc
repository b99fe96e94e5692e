#include "module/host/settings.h"

namespace millrace::module {

namespace {

constinit long long block_bytes = BlockLimits{}.bytes;

// docs/settings.md describes each.
constexpr abi::Setting kSettings[] = {
    {.name = "block-bytes",
     .initial = BlockLimits{}.bytes,
     .min = 256,
     .max = 1024 * 1024,
     .is_memory = true,
     .value = &block_bytes},
};

}  // namespace

std::span<const abi::Setting> all_settings() { return kSettings; }

BlockLimits block_limits() { return {.bytes = static_cast<uint32_t>(block_bytes)}; }

}  // namespace millrace::module
