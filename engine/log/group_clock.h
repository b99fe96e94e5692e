// The time of a group that has pending messages. It is the wall clock's time as long as the wall clock and the
// monotonic clock advance together. When they diverge, because the wall clock was set, the group's time follows the
// monotonic clock alone. So setting the wall clock forwards or back neither hurries nor delays a redelivery. The group
// follows the wall clock again when it has no pending messages.
//
// A value of the monotonic clock has no meaning in another process. So the date of the last delivery is saved, and
// after a restart the group's time is never before it. If the wall clock was set back before a restart, a redelivery is
// delayed by at most its retry time.
#pragma once

#include <algorithm>

#include "engine/base/now.h"
#include "engine/base/strong.h"

namespace millrace {

class GroupClock {
 public:
  // The time now. A caller without a monotonic clock (0) gets the wall clock's time, but never one before the last
  // delivery.
  UnixMs time(const Now& now) const {
    if (!is_running() || now.monotonic < at_) return std::max(now.wall, last_delivery_);
    const UnixMs expected = date_ + (now.monotonic - at_);
    const uint64_t apart = now.wall > expected ? now.wall - expected : expected - now.wall;
    return apart <= kSamePaceMs ? now.wall : expected;
  }
  // Records the current values of both clocks, if the caller has both. Called from time to time.
  void run(const Now& now) {
    if (now.monotonic == MonotonicMs()) return;
    date_ = time(now);
    at_ = now.monotonic;
  }
  // Called when no message is pending or another engine decides: the clock stops.
  void stop() { at_ = MonotonicMs(); }

  // Messages are delivered at this time. `is_first`: none were pending before, so no date depends on earlier ones.
  void delivered(UnixMs at, bool is_first) { last_delivery_ = is_first ? at : std::max(last_delivery_, at); }
  UnixMs last_delivery() const { return last_delivery_; }

 private:
  // The clocks are read one after the other and in milliseconds, so a small difference is ignored.
  static constexpr uint64_t kSamePaceMs = 100;

  bool is_running() const { return at_ != MonotonicMs(); }

  UnixMs last_delivery_;
  UnixMs date_;     // the group's time at the last run()
  MonotonicMs at_;  // the monotonic clock at that moment; 0: stopped
};

}  // namespace millrace
