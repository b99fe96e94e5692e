// What the caller's clocks show. The engine reads no clock: every operation is told.
#pragma once

#include <cstdint>

#include "engine/base/strong.h"

namespace millrace {

struct Now {
  UnixMs wall = {};
  // For leases and waits, which a wall clock that is set must not change.
  MonotonicMs monotonic = {};
  uint64_t clock_id = 0;  // which monotonic clock that is; 0: unknown, and equal to no other
  // For worker pools: the time during which this process could be reached, and a number that changes whenever that
  // time starts anew.
  MonotonicMs served = {};
  uint64_t served_period = 0;
};

}  // namespace millrace
