// The clock of a channel: a number that each publication increases by one. It stays in the range that every client
// language represents exactly, and wraps around:
//
//   …, 2^53 - 2, 2^53 - 1, -(2^53 - 1), -(2^53 - 1) + 1, …
//                        ^ the seam
//
// So clocks have no order, only distances; half of the range is 4.5 * 10^15 messages.
#pragma once

#include <cstdint>

namespace millrace {

class Clock {
 public:
  static constexpr int64_t kMax = (int64_t{1} << 53) - 1;
  static constexpr int64_t kMin = -kMax;
  // The number of different clocks.
  static constexpr uint64_t kCount = 2 * uint64_t{kMax} + 1;

  constexpr Clock() = default;
  // REQUIRES: kMin <= value <= kMax
  constexpr explicit Clock(int64_t value) : steps_(static_cast<uint64_t>(value - kMin)) {}

  constexpr int64_t value() const { return static_cast<int64_t>(steps_) + kMin; }

  // The clock after `steps` more publications.
  constexpr Clock after(uint64_t steps) const {
    Clock later;
    later.steps_ = (steps_ + steps % kCount) % kCount;
    return later;
  }

  // How many publications lead from this clock to `there`, across the seam if necessary.
  constexpr uint64_t steps_to(Clock there) const { return (there.steps_ + kCount - steps_) % kCount; }

  friend constexpr bool operator==(Clock, Clock) = default;

 private:
  uint64_t steps_ = static_cast<uint64_t>(kMax);  // from kMin: the clock 0
};

}  // namespace millrace
