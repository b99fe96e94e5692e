#include "module/host/settings.h"

#include "engine/channel/channel_codec.h"

namespace millrace::module {

namespace {

constinit long long block_bytes = BlockLimits{}.bytes;
constinit long long pending_max = 1'000'000;
constinit long long channel_expire = 30 * 60 * 1000;

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
    {.name = "channel-expire",
     .initial = 30 * 60 * 1000,
     .min = 1,
     .max = kMaxExpireMs,
     .is_memory = false,
     .value = &channel_expire},
};

}  // namespace

std::span<const abi::Setting> all_settings() { return kSettings; }

BlockLimits block_limits() { return {.bytes = static_cast<uint32_t>(block_bytes)}; }

uint64_t default_channel_expire() { return static_cast<uint64_t>(channel_expire); }

uint64_t default_pending_max() { return static_cast<uint64_t>(pending_max); }

}  // namespace millrace::module
