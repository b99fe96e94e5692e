// What the operations on channels have done since the process started. Not saved.
#pragma once

#include <cstdint>

namespace millrace {

struct ChannelCounters {
  uint64_t published = 0;
  uint64_t duplicates = 0;
  uint64_t fetched = 0;       // messages delivered to subscribers, counted once for each delivery
  uint64_t acknowledged = 0;  // receipts that advanced a subscriber
  uint64_t expired = 0;       // messages
};

}  // namespace millrace
