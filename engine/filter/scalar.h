// A JSON value as filters see it. Types are strict: "1" is not 1.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "engine/base/bytes.h"
#include "engine/filter/number.h"

namespace millrace {

// Nested: an object, or an array in an array. For a filter these values exist, but differ from every operand; they are
// never operands.
enum class ScalarKind : uint8_t { Null, Boolean, Number, String, Nested };

// An operand of a filter: owns its text.
struct Scalar {
  ScalarKind kind = ScalarKind::Null;
  bool boolean = false;
  Number number;
  std::string text;
};

// A value in a document: borrows its text.
struct ScalarView {
  ScalarKind kind = ScalarKind::Null;
  bool boolean = false;
  Number number;
  ByteView text;

  ScalarView() = default;
  explicit ScalarView(ScalarKind what) : kind(what) {}
  explicit ScalarView(bool value) : kind(ScalarKind::Boolean), boolean(value) {}
  explicit ScalarView(Number value) : kind(ScalarKind::Number), number(value) {}
  explicit ScalarView(ByteView value) : kind(ScalarKind::String), text(value) {}
  ScalarView(const Scalar& scalar)
      : kind(scalar.kind), boolean(scalar.boolean), number(scalar.number), text(scalar.text) {}

  friend bool operator==(const ScalarView& a, const ScalarView& b) { return a <=> b == 0; }
  // Unordered for values of different kinds, and for booleans that differ.
  friend std::partial_ordering operator<=>(const ScalarView& a, const ScalarView& b) {
    if (a.kind != b.kind) return std::partial_ordering::unordered;
    switch (a.kind) {
      case ScalarKind::Null:
      case ScalarKind::Nested:
        return std::partial_ordering::equivalent;
      case ScalarKind::Boolean:
        return a.boolean == b.boolean ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
      case ScalarKind::Number:
        return a.number <=> b.number;
      case ScalarKind::String:
        return a.text <=> b.text;
    }
    return std::partial_ordering::unordered;
  }
};

// Puts all values in one order: by kind, then by value.
struct ScalarOrder {
  bool operator()(const ScalarView& a, const ScalarView& b) const {
    if (a.kind != b.kind) return a.kind < b.kind;
    return a.kind == ScalarKind::Boolean ? a.boolean < b.boolean : a < b;
  }
};

}  // namespace millrace
