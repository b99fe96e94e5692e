// What the operations on channels have done since the process started. Not saved.
#pragma once

#include <cstdint>

namespace millrace {

struct ChannelCounters {
  uint64_t published = 0;
  uint64_t duplicates = 0;
  uint64_t fetched = 0;       // messages, each time one is given to a subscriber
  uint64_t acknowledged = 0;  // receipts that moved a subscriber on
  uint64_t expired = 0;       // messages
};

}  // namespace millrace
