// Numbers that cannot be mistaken for one another: a millisecond is not an
// offset, and the compiler knows it.
#pragma once

#include <compare>
#include <cstdint>

namespace millrace {

// A 64-bit unsigned number with a name. Two of the same name compare and
// subtract (to a plain count); a plain count can be added. Nothing else converts.
template <class Name>
class Strong {
 public:
  constexpr Strong() = default;
  constexpr explicit Strong(uint64_t value) : value_(value) {}

  constexpr uint64_t value() const { return value_; }

  friend constexpr auto operator<=>(Strong, Strong) = default;
  friend constexpr Strong operator+(Strong a, uint64_t n) { return Strong(a.value_ + n); }
  // REQUIRES: n <= a
  friend constexpr Strong operator-(Strong a, uint64_t n) { return Strong(a.value_ - n); }
  // REQUIRES: b <= a
  friend constexpr uint64_t operator-(Strong a, Strong b) { return a.value_ - b.value_; }
  constexpr Strong& operator++() {
    ++value_;
    return *this;
  }

 private:
  uint64_t value_ = 0;
};

// The logical position of a message in a log: 1, 2, 3, …
using Offset = Strong<struct OffsetName>;

// One life of a log: drawn at random when it is created, so that a position in a log that was deleted is known as such.
// 0: a log of a version that drew none.
using LogEpoch = Strong<struct LogEpochName>;

// A date: milliseconds since 1970 on the wall clock.
using UnixMs = Strong<struct UnixMsName>;

// The time of a worker pool: milliseconds that its servers have been up since it was made.
using PoolTime = Strong<struct PoolTimeName>;

// A moment on a clock that never jumps: milliseconds since that clock began. It means
// nothing on a machine with another one.
using MonotonicMs = Strong<struct MonotonicMsName>;

// A fencing token: of two grants of a lock the later one has the greater token.
using Token = Strong<struct TokenName>;

// Offsets travel as signed 64-bit integers in replies, so none may exceed this.
inline constexpr Offset kMaxOffset{INT64_MAX};

// Epochs are numbers that every client holds exactly, those in JavaScript too.
inline constexpr LogEpoch kMaxEpoch{(uint64_t{1} << 48) - 1};

}  // namespace millrace
