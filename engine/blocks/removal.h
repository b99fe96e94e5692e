// Messages that are taken out of the middle of a log by compaction or deletion: an effect.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/strong.h"

namespace millrace {

// In ascending order. For messages 3, 4, 5 and 9: the ranges [3, 6) and [9, 10).
struct Removal {
  struct Range {
    Offset from;
    Offset to;  // one past the last
  };
  std::vector<Range> ranges;

  bool empty() const { return ranges.empty(); }
  uint64_t count() const { return count_from(Offset(0)); }
  // How many of them are at or after `offset`.
  uint64_t count_from(Offset offset) const {
    uint64_t count = 0;
    for (auto range = ranges.rbegin(); range != ranges.rend() && range->to > offset; ++range) {
      count += range->to - std::max(range->from, offset);
    }
    return count;
  }

  // REQUIRES: the offset is above all others.
  void add(Offset offset) { add({offset, offset + 1}); }
  void add(const Range& range) {
    if (!ranges.empty() && ranges.back().to == range.from) {
      ranges.back().to = range.to;
    } else {
      ranges.push_back(range);
    }
  }
};

}  // namespace millrace
