#include "module/host/settings.h"

#include "engine/blocks/packing.h"
#include "engine/channel/channel_codec.h"
#include "module/host/engine_resources.h"
#include "module/host/packing.h"

namespace millrace::module {

namespace {

constinit long long block_bytes = BlockLimits{}.bytes;
constinit long long pending_max = 1'000'000;
constinit long long channel_expire = 30 * 60 * 1000;
constinit long long compress = 1;
constinit long long compress_level = kLeastPackLevel;
constinit long long compress_age = 60 * 1000;
constinit long long compress_cache = 16 * 1024 * 1024;

void limit_cache() { block_packer().unpacked().set_limit(static_cast<uint64_t>(compress_cache)); }

// docs/settings.md describes each.
constexpr abi::Setting kSettings[] = {
    {.name = "block-bytes",
     .initial = BlockLimits{}.bytes,
     .min = 256,
     .max = 1024 * 1024,
     .kind = abi::SettingKind::Memory,
     .value = &block_bytes},
    {.name = "pending-max",
     .initial = 1'000'000,
     .min = 1,
     .max = 1'000'000'000'000,
     .kind = abi::SettingKind::Number,
     .value = &pending_max},
    {.name = "channel-expire",
     .initial = 30 * 60 * 1000,
     .min = 1,
     .max = kMaxExpireMs,
     .kind = abi::SettingKind::Number,
     .value = &channel_expire},
    {.name = "compress",
     .initial = 1,
     .min = 0,
     .max = 1,
     .kind = abi::SettingKind::YesNo,
     .value = &compress,
     .changed = packing::resume},
    {.name = "compress-level",
     .initial = kLeastPackLevel,
     .min = kLeastPackLevel,
     .max = kMostPackLevel,
     .kind = abi::SettingKind::Number,
     .value = &compress_level},
    {.name = "compress-age",
     .initial = 60 * 1000,
     .min = 0,
     .max = kMaxExpireMs,
     .kind = abi::SettingKind::Number,
     .value = &compress_age,
     .changed = packing::resume},
    {.name = "compress-cache",
     .initial = 16 * 1024 * 1024,
     .min = 0,
     .max = 1024LL * 1024 * 1024 * 1024,
     .kind = abi::SettingKind::Memory,
     .value = &compress_cache,
     .changed = limit_cache},
};

}  // namespace

std::span<const abi::Setting> all_settings() { return kSettings; }

BlockLimits block_limits() { return {.bytes = static_cast<uint32_t>(block_bytes)}; }

uint64_t default_channel_expire() { return static_cast<uint64_t>(channel_expire); }

uint64_t default_pending_max() { return static_cast<uint64_t>(pending_max); }

PackingSettings packing_settings() {
  return {compress != 0, static_cast<int>(compress_level), static_cast<uint64_t>(compress_age)};
}

}  // namespace millrace::module
