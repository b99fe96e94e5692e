// A JSON value that is not an object or array. Types are strict: "1" is not 1.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "engine/base/bytes.h"
#include "engine/route/number.h"

namespace millrace {

enum class ScalarKind : uint8_t { Null, Boolean, Number, String };

// As an operand of a filter: owns its text.
struct Scalar {
  ScalarKind kind = ScalarKind::Null;
  bool boolean = false;
  Number number;
  std::string text;
};

// As a value in a document: borrows its text.
struct ScalarView {
  ScalarKind kind = ScalarKind::Null;
  bool boolean = false;
  Number number;
  ByteView text;

  ScalarView() = default;
  explicit ScalarView(bool value) : kind(ScalarKind::Boolean), boolean(value) {}
  explicit ScalarView(Number value) : kind(ScalarKind::Number), number(value) {}
  explicit ScalarView(ByteView value) : kind(ScalarKind::String), text(value) {}
  ScalarView(const Scalar& scalar)
      : kind(scalar.kind), boolean(scalar.boolean), number(scalar.number), text(scalar.text) {}

  friend bool operator==(const ScalarView& a, const ScalarView& b) { return a <=> b == 0; }
  // Unordered for values of different kinds, and for null and booleans that differ.
  friend std::partial_ordering operator<=>(const ScalarView& a, const ScalarView& b) {
    if (a.kind != b.kind) return std::partial_ordering::unordered;
    switch (a.kind) {
      case ScalarKind::Null:
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

}  // namespace millrace
