// Converts the caller's service time (engine/base/now.h) to a pool's time. A pool's time continues from its value at
// the start of the caller's period: time during which the pool was on another server, or on none, does not count.
//
//   served        100  ……  340          in the period in which the caller was given the pool
//   pool's time  5000  ……  5240
//
// Not part of the pool's value: not saved, not copied.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/now.h"
#include "engine/base/strong.h"

namespace millrace {

class PoolClock {
 public:
  // Starts the clock in the caller's current period. `pool` is the pool's time.
  void start(PoolTime pool, const Now& now) {
    if (period_ == now.served_period) return;
    period_ = now.served_period;
    served_at_start_ = now.served;
    pool_at_start_ = pool;
  }

  // The pool's current time; its last known time if the clock was not started in this period.
  PoolTime read(PoolTime pool, const Now& now) const {
    if (period_ != now.served_period) return pool;
    return std::max(pool, pool_at_start_ + (now.served - served_at_start_));
  }

 private:
  uint64_t period_ = 0;  // 0: never started
  MonotonicMs served_at_start_;
  PoolTime pool_at_start_;
};

}  // namespace millrace
