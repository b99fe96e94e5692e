// What the operations on routing tables have done since the process started. Not saved.
#pragma once

#include <cstdint>

namespace millrace {

struct RouteCounters {
  uint64_t matches = 0;     // changes that were matched, including dispatched ones
  uint64_t matched = 0;     // devices, counted for each match
  uint64_t dispatched = 0;  // messages that were written to queues
  uint64_t repeated = 0;    // dispatches that were sent again
  uint64_t failures = 0;    // filters that could not be evaluated, counted each time
};

}  // namespace millrace
