// How long an owner may hold a lock, and on which clock that is measured.
//
// A lease runs on the monotonic clock of the server that decides, so a wall clock that jumps neither ends nor prolongs
// it. Another machine, or the same one after a reboot, has another monotonic clock. For these, a lease also contains
// the date of its end.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/now.h"
#include "engine/base/strong.h"

namespace millrace {

// Longest lease: the largest integer that is exact in a double, some 285,000 years.
inline constexpr uint64_t kMaxLeaseMs = (uint64_t{1} << 53) - 1;

struct Lease {
  uint64_t ttl_ms = 0;
  MonotonicMs end;  // the last millisecond in which it is held
  UnixMs end_date;  // the same on the wall clock, read when the lease began

  // REQUIRES: ttl_ms <= kMaxLeaseMs
  static Lease from(const Now& now, uint64_t ttl_ms) { return {ttl_ms, now.monotonic + ttl_ms, now.wall + ttl_ms}; }

  // The lease is over only after `end`. Clocks are read in whole milliseconds, so with `now >= end` a lease could be up
  // to one millisecond too short.
  bool is_over(MonotonicMs now) const { return now > end; }
  uint64_t left(MonotonicMs now) const { return end > now ? end - now : 0; }

  // Converts a lease received from another process to the clocks in `now`. There it ends at `told.end` on the monotonic
  // clock `clock`. The remaining time never exceeds the whole time of the lease.
  static Lease as_seen(const Lease& told, uint64_t clock, const Now& now) {
    const MonotonicMs latest = now.monotonic + told.ttl_ms;
    if (clock != 0 && clock == now.clock_id) return {told.ttl_ms, std::min(told.end, latest), told.end_date};
    const uint64_t left = told.end_date > now.wall ? told.end_date - now.wall : 0;
    return {told.ttl_ms, now.monotonic + std::min(left, told.ttl_ms), told.end_date};
  }
};

}  // namespace millrace
