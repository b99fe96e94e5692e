// A prefilter: one condition of a filter in six bytes. It is stored in the index entry of the filter, so that most
// documents that do not match are rejected without touching the memory of the filter itself. A value is shortened to
// sixteen bits: the order of numbers is preserved (two of them may become equal), other values have sixteen bits of
// their hash.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "engine/filter/scalar.h"

namespace millrace {

using ShortValue = uint16_t;
inline constexpr ShortValue kGreatestShortValue = std::numeric_limits<ShortValue>::max();

// The sign, the exponent and seven binary digits, ordered so that negative numbers come first.
inline ShortValue short_number(double number) {
  constexpr uint32_t kSign = uint32_t{1} << 31;
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(number));
  return static_cast<ShortValue>(((bits & kSign) != 0 ? ~bits : bits | kSign) >> 16);
}

// `hash` is that of the field and the value; it is not used for numbers.
inline ShortValue short_value(const ScalarView& value, uint32_t hash) {
  if (value.kind == ScalarKind::Number) return short_number(value.number.approximate());
  return static_cast<ShortValue>(hash >> 16);
}

// The least and the greatest value of a field in a document. By default: no value.
struct ShortValues {
  ShortValue least = kGreatestShortValue;
  ShortValue greatest = 0;

  void add(ShortValue value) {
    const bool is_first = least > greatest;
    // With several values, one may satisfy one bound and another the other: every document may match.
    least = is_first ? value : 0;
    greatest = is_first ? value : kGreatestShortValue;
  }
};

// A range of short values of one field. By default every document satisfies it.
struct Prefilter {
  uint16_t field = 0;
  ShortValue low = 0;
  ShortValue high = kGreatestShortValue;

  uint32_t width() const { return uint32_t{high} - low; }
  bool may_be_satisfied(ShortValues values) const { return low <= values.greatest && values.least <= high; }
};

}  // namespace millrace
