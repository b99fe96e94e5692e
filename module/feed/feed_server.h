// The feeds of this server. They are only in memory: neither saved nor replicated.
#pragma once

#include <cstdint>

#include "engine/feed/feeds.h"
#include "module/abi/context.h"

namespace millrace::module {

Feeds& feeds();
// The limits by the current settings. It always returns the same object.
const FeedLimits& feed_limits();

// Counters of feeds for INFO, since the server started.
struct FeedCounters {
  uint64_t waiting = 0;   // readers
  uint64_t woken = 0;     // readers that were woken with messages
  uint64_t messages = 0;  // messages handed out
  uint64_t expired = 0;   // feeds
};
inline constinit FeedCounters feed_counters;

// From now on, frees feeds that are not used, at most a second late. Called when a feed is created.
void keep_sweeping();

}  // namespace millrace::module
