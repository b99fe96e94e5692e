// The feeds of this server: memory, and nothing else. They are neither saved nor replicated.
#pragma once

#include <cstdint>

#include "engine/feed/feeds.h"
#include "module/abi/context.h"

namespace millrace::module {

Feeds& feeds();
// As the settings stand now; the same object always.
const FeedLimits& feed_limits();

// What INFO counts of feeds. Since the server started.
struct FeedCounters {
  uint64_t waiting = 0;   // readers
  uint64_t woken = 0;     // of them, with something
  uint64_t messages = 0;  // handed out
  uint64_t expired = 0;   // feeds
};
inline constinit FeedCounters feed_counters;

// Has feeds that nobody uses freed from now on, a second late at most. To be called when one is made.
void keep_sweeping();

}  // namespace millrace::module
