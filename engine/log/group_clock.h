// The time of a group that has pending messages: that of the wall clock, as long as it goes on with the monotonic
// clock. When they part, because the wall clock is set, it goes on by the monotonic clock alone: a wall clock that is
// set forwards or back neither hurries nor delays a redelivery. It follows the wall clock again when nothing is
// pending.
//
// The monotonic clock means nothing to the next process. What is saved is the date of the last delivery: the time goes
// on from there at the earliest, so that a wall clock that was set back before a restart delays no redelivery by more
// than its retry time.
#pragma once

#include <algorithm>

#include "engine/base/now.h"
#include "engine/base/strong.h"

namespace millrace {

class GroupClock {
 public:
  // The time now. A caller that has no monotonic clock (0) gets the wall clock's time, but none before the last
  // delivery.
  UnixMs time(const Now& now) const {
    if (!is_running() || now.monotonic < at_) return std::max(now.wall, last_delivery_);
    const UnixMs expected = date_ + (now.monotonic - at_);
    const uint64_t apart = now.wall > expected ? now.wall - expected : expected - now.wall;
    return apart <= kSamePaceMs ? now.wall : expected;
  }
  // Notes where both clocks stand, if there are both. To be called now and then.
  void run(const Now& now) {
    if (now.monotonic == MonotonicMs()) return;
    date_ = time(now);
    at_ = now.monotonic;
  }
  // Nothing is pending, or another engine decides: it does not run on.
  void stop() { at_ = MonotonicMs(); }

  // Something is delivered at that time. `is_first`: nothing was pending, so that no date depends on earlier ones.
  void delivered(UnixMs at, bool is_first) { last_delivery_ = is_first ? at : std::max(last_delivery_, at); }
  UnixMs last_delivery() const { return last_delivery_; }

 private:
  // Both clocks are read one after the other, to the millisecond: that they differ a little means nothing.
  static constexpr uint64_t kSamePaceMs = 100;

  bool is_running() const { return at_ != MonotonicMs(); }

  UnixMs last_delivery_;
  UnixMs date_;     // what time it was
  MonotonicMs at_;  // when the monotonic clock showed this; 0: it does not run
};

}  // namespace millrace
