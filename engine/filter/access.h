// How a document leads to a filter: by a condition that holds for every document that matches, and for few others.
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

// A list of equalities of which at least one holds in every document that matches the filter; nullopt if no such list
// of at most `longest` is known. If there are several lists, the one with the smallest sum of `cost`.
std::optional<std::vector<Equality>> best_access(const Filter& filter,
                                                 const std::function<uint64_t(const Equality&)>& cost,
                                                 size_t longest = 256);

// A field whose single number is between two bounds in every document that matches. Bounds are inclusive, and rounded
// outwards.
struct Interval {
  std::string field;
  double low;
  double high;
};

// At most one for each field, and no more than `longest`.
std::vector<Interval> necessary_intervals(const Filter& filter, size_t longest = 8);

}  // namespace millrace
