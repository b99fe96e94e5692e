// Where a pool's time stands on the caller's clock of service time (engine/base/now.h). A pool's time goes on from
// where it stood when the caller's period began: time in which the pool was somewhere else, or nowhere, does not count.
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
  // Goes by the caller's present period from now on. `pool` is the pool's time.
  void start(PoolTime pool, const Now& now) {
    if (period_ == now.served_period) return;
    period_ = now.served_period;
    served_at_start_ = now.served;
    pool_at_start_ = pool;
  }

  // What time it is for the pool: its own time if the clock was not started in this period.
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
