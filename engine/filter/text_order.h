// The order of thousands of texts that begin alike, such as the names of fields and the conditions of a filter.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace {

// The numbers of the texts in ascending order of the texts: text_order(t)[0] is the number of the least one. O(n) if
// they are in order, else O(n log n) comparisons, nearly all of them of eight bytes behind what all texts begin with.
// REQUIRES: less than 2^32 texts
std::vector<uint32_t> text_order(std::span<const ByteView> texts);

// Brings values into an order: afterwards place i has what was at place order[i]. Each is moved once, within the list.
template <class Value>
void reorder(std::vector<Value>& values, std::vector<uint32_t> order) {
  // Along each cycle: place `at` gets the value of place order[at], and is done then.
  for (uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] == i) continue;
    Value first = std::move(values[i]);
    uint32_t at = i;
    while (order[at] != i) {
      const uint32_t from = std::exchange(order[at], at);
      values[at] = std::move(values[from]);
      at = from;
    }
    values[at] = std::move(first);
    order[at] = at;
  }
}

}  // namespace millrace
