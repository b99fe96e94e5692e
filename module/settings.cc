// The settings of all families, and what each family reads from them.
#include "module/runtime/settings.h"

#include "engine/base/limits.h"
#include "engine/blocks/packing.h"
#include "module/channel/channel_object.h"
#include "module/fact/fact_object.h"
#include "module/feed/feed_server.h"
#include "module/log/log_resources.h"
#include "module/log/packing.h"

namespace millrace::module {

namespace {

constinit long long block_bytes = BlockLimits{}.bytes;
constinit long long pending_max = 1'000'000;
constinit long long read_bytes = 64 * 1024 * 1024;
constinit long long log_ids = 10 * 60 * 1000;
constinit long long channel_expire = 30 * 60 * 1000;
constinit long long compress = 1;
constinit long long compress_level = kLeastPackLevel;
constinit long long compress_age = 60 * 1000;
constinit long long compress_cache = 16 * 1024 * 1024;

constinit long long fact_walk_facts = 20'000;

constinit long long most_feeds = 10'000;
constinit long long most_feed_keys = 1'000'000;

constinit FeedLimits limits_of_feeds;
constinit LogLimits limits_of_logs{
    .blocks = {}, .pending_max = 1'000'000, .read_bytes = 64 * 1024 * 1024, .ids_ms = 10 * 60 * 1000};
constinit ChannelLimits limits_of_channels{.blocks = {}, .expire_ms = 30 * 60 * 1000, .read_bytes = 64 * 1024 * 1024};
constinit FactLimits limits_of_facts;

void set_limits() {
  limits_of_logs = {.blocks = {.bytes = static_cast<uint32_t>(block_bytes)},
                    .pending_max = static_cast<uint64_t>(pending_max),
                    .read_bytes = static_cast<uint64_t>(read_bytes),
                    .ids_ms = static_cast<uint64_t>(log_ids)};
  limits_of_channels = {.blocks = limits_of_logs.blocks,
                        .expire_ms = static_cast<uint64_t>(channel_expire),
                        .read_bytes = limits_of_logs.read_bytes};
}

void limit_walks() { limits_of_facts.walk_facts = static_cast<uint64_t>(fact_walk_facts); }

void limit_feeds() {
  limits_of_feeds = {.feeds = static_cast<uint64_t>(most_feeds), .keys = static_cast<uint64_t>(most_feed_keys)};
}

void limit_cache() { block_packer().unpacked().set_limit(static_cast<uint64_t>(compress_cache)); }

// docs/settings.md describes each.
constexpr abi::Setting kSettings[] = {
    {.name = "block-bytes",
     .initial = BlockLimits{}.bytes,
     .min = 256,
     .max = 1024 * 1024,
     .kind = abi::SettingKind::Memory,
     .value = &block_bytes,
     .changed = set_limits},
    {.name = "pending-max",
     .initial = 1'000'000,
     .min = 1,
     .max = 1'000'000'000'000,
     .kind = abi::SettingKind::Number,
     .value = &pending_max,
     .changed = set_limits},
    {.name = "read-bytes",
     .initial = 64 * 1024 * 1024,
     .min = 1,
     .max = 1024LL * 1024 * 1024 * 1024,
     .kind = abi::SettingKind::Memory,
     .value = &read_bytes,
     .changed = set_limits},
    {.name = "log-ids",
     .initial = 10 * 60 * 1000,
     .min = 1,
     .max = kMaxDurationMs,
     .kind = abi::SettingKind::Number,
     .value = &log_ids,
     .changed = set_limits},
    {.name = "channel-expire",
     .initial = 30 * 60 * 1000,
     .min = 1,
     .max = kMaxDurationMs,
     .kind = abi::SettingKind::Number,
     .value = &channel_expire,
     .changed = set_limits},
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
     .max = kMaxDurationMs,
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
    {.name = "fact-walk-facts",
     .initial = 20'000,
     .min = 1,
     .max = 1'000'000'000,
     .kind = abi::SettingKind::Number,
     .value = &fact_walk_facts,
     .changed = limit_walks},
    {.name = "feeds",
     .initial = 10'000,
     .min = 0,
     .max = 1'000'000,
     .kind = abi::SettingKind::Number,
     .value = &most_feeds,
     .changed = limit_feeds},
    {.name = "feed-keys",
     .initial = 1'000'000,
     .min = 1,
     .max = 100'000'000,
     .kind = abi::SettingKind::Number,
     .value = &most_feed_keys,
     .changed = limit_feeds},
};

}  // namespace

std::span<const abi::Setting> all_settings() { return kSettings; }

const BlockLimits& block_limits() { return limits_of_logs.blocks; }

const LogLimits& log_limits() { return limits_of_logs; }

const ChannelLimits& channel_limits() { return limits_of_channels; }

const FeedLimits& feed_limits() { return limits_of_feeds; }

const FactLimits& fact_limits() { return limits_of_facts; }

PackingSettings packing_settings() {
  return {.on = compress != 0,
          .terms = {.age_ms = static_cast<uint64_t>(compress_age), .level = static_cast<int>(compress_level)}};
}

}  // namespace millrace::module
