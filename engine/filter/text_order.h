// The order of thousands of texts that begin alike, such as the names of fields and the conditions of a filter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace {

// The numbers of the texts in ascending order of the texts: text_order(t)[0] is the number of the least one. O(n) if
// they are in order, else O(n log n) comparisons, nearly all of them of eight bytes behind what all texts begin with.
// REQUIRES: less than 2^32 texts
std::vector<uint32_t> text_order(std::span<const ByteView> texts);

}  // namespace millrace
