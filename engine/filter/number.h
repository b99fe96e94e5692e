// A JSON number: an integer is exact, any other is a double. 1, 1.0 and 1e0 are the same.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace millrace {

class Number {
 public:
  constexpr Number() = default;
  constexpr explicit Number(int64_t value) : whole_(value) {}
  // REQUIRES: finite
  explicit Number(double value) {
    constexpr double kEnd = 9223372036854775808.0;  // 2^63
    if (value == std::trunc(value) && value >= -kEnd && value < kEnd) {
      whole_ = static_cast<int64_t>(value);
    } else {
      is_whole_ = false;
      real_ = value;
    }
  }

  bool is_whole() const { return is_whole_; }
  int64_t whole() const { return whole_; }  // REQUIRES: is_whole()
  // Precise enough for an index whose candidates are checked afterwards.
  double approximate() const { return is_whole_ ? static_cast<double>(whole_) : real_; }

  friend std::partial_ordering operator<=>(Number a, Number b) {
    if (a.is_whole_ && b.is_whole_) return a.whole_ <=> b.whole_;
    return a.wide() <=> b.wide();
  }
  friend bool operator==(Number a, Number b) { return (a <=> b) == 0; }

 private:
  // Exact for every 64-bit integer and every double.
  long double wide() const { return is_whole_ ? static_cast<long double>(whole_) : static_cast<long double>(real_); }

  bool is_whole_ = true;
  union {
    int64_t whole_ = 0;
    double real_;
  };
};

}  // namespace millrace
