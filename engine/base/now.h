// The present time by the caller's clocks. The engine reads no clock: every operation gets this as an argument.
#pragma once

#include <cstdint>

#include "engine/base/strong.h"

namespace millrace {

struct Now {
  UnixMs wall = {};
  // For leases and waits: setting the wall clock must not change them.
  MonotonicMs monotonic = {};
  uint64_t clock_id = 0;  // identifies the monotonic clock; 0: unknown, different from every clock
  // For worker pools: the time during which this process could be reached, and a number that changes whenever that
  // time starts again.
  MonotonicMs served = {};
  uint64_t served_period = 0;
};

}  // namespace millrace
