// Number types that cannot be confused: the compiler rejects a millisecond where an offset is expected.
#pragma once

#include <compare>
#include <cstdint>

namespace millrace {

// A 64-bit unsigned number with a name. Two numbers of the same type can be compared and subtracted, which gives a
// plain count. A plain count can be added. There are no other conversions.
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

// Identifies one lifetime of a log: drawn at random when the log is created, so that a position from a deleted log of
// the same name is recognised. 0: the log was created by a version without epochs.
using LogEpoch = Strong<struct LogEpochName>;

// A date: milliseconds since 1970 on the wall clock.
using UnixMs = Strong<struct UnixMsName>;

// The time of a worker pool: milliseconds that its servers have been up since the pool was created.
using PoolTime = Strong<struct PoolTimeName>;

// A moment on a clock that never jumps: milliseconds since that clock began. It has no meaning on another machine.
using MonotonicMs = Strong<struct MonotonicMsName>;

// A fencing token: of two grants of a lock the later one has the greater token.
using Token = Strong<struct TokenName>;

// Offsets are sent as signed 64-bit integers in replies, so none may exceed this.
inline constexpr Offset kMaxOffset{INT64_MAX};

// Small enough that every client represents epochs exactly, also in JavaScript.
inline constexpr LogEpoch kMaxEpoch{(uint64_t{1} << 48) - 1};

}  // namespace millrace
