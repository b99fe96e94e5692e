// How a document finds a filter: something that is true of every document which matches it,
// and of few others.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/filter/filter.h"

namespace millrace {

// The parts of a conjunction, or the filter itself. They borrow from it.
std::vector<const Filter*> conjuncts(const Filter& filter);

// A field that equals a value.
struct Equality {
  std::string field;
  Scalar value;
  friend bool operator==(const Equality& a, const Equality& b) {
    return a.field == b.field && ScalarView(a.value) == ScalarView(b.value);
  }
};

// One of these holds in every document that matches the filter; nothing if no such list of at
// most `longest` is known. Of several lists the one with the smallest sum of `cost`.
std::optional<std::vector<Equality>> best_access(const Filter& filter,
                                                 const std::function<uint64_t(const Equality&)>& cost,
                                                 size_t longest = 256);

// A field whose single number lies between two others, in every document that matches.
// Borders are inclusive, and rounded outwards.
struct Interval {
  std::string field;
  double low;
  double high;
};

// At most one for each field, and no more than `longest`.
std::vector<Interval> necessary_intervals(const Filter& filter, size_t longest = 8);

}  // namespace millrace
