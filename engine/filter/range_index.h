// An index of up to 1,024 filters by the ranges of numbers that they require, for filters without an equality to index.
// For each field that some of them bound, the number line is cut into pieces, and each piece has a bitmap of the
// filters that allow it. The candidates for a document are the intersection of the bitmaps that its numbers select.
//
//   temperature   ---- 10 -------- 18 ---- 25 ------------>
//   allowed       1011 |   0011    |  0111 |    0101           a bit for each filter
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/filter/document.h"
#include "engine/filter/filter_ids.h"

namespace millrace {

// Like Interval, with the id of the field.
struct Bound {
  FieldId field;
  double low;
  double high;
};

class RangeIndex {
 public:
  static constexpr size_t kCapacity = 1024;

  bool is_full() const { return count_ == kCapacity; }
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }

  // REQUIRES: !is_full()
  void add(FilterSlot filter, std::vector<Bound> bounds);
  // True if the filter was in the index.
  bool remove(FilterSlot filter);

  // Calls visit(slot) for every candidate: all filters that the document matches, and possibly others.
  template <class Visit>
  void each_candidate(const FieldValues& document, Visit visit) const {
    Bits candidates = used_;
    restrict(candidates, document);
    for (size_t word = 0; word < kWords; ++word) {
      for (uint64_t left = candidates[word]; left != 0; left &= left - 1) {
        visit(filters_[word * 64 + static_cast<size_t>(std::countr_zero(left))]);
      }
    }
  }

  uint64_t memory() const;
  const char* check() const;

 private:
  static constexpr size_t kWords = kCapacity / 64;
  static constexpr size_t kPieces = 64;
  static constexpr size_t kTogether = 8;  // lines whose bits are fetched at once
  using Bits = std::array<uint64_t, kWords>;

  // One field's line of numbers.
  struct Line {
    FieldId field;
    std::vector<double> cuts;   // ascending; piece i is [cuts[i - 1], cuts[i])
    std::vector<Bits> allowed;  // one more than cuts; filters that do not bound the field are in all of them
    Bits not_bounding;          // those that do not bound the field
    size_t bounding_when_cut = 0;
  };

  static Bits all();
  static size_t count_bounding(const Line& line);
  // The filters that allow the document's value of the field; null: all.
  static const Bits* allowed(const Line& line, const FieldValues& document);
  void restrict(Bits& candidates, const FieldValues& document) const;
  static void put(Line& line, size_t position, const Bound& bound);
  static void free(Line& line, size_t position);
  Line& line_of(FieldId field);
  void cut(Line& line);

  // By position. In separate arrays, because matching only uses the first.
  std::vector<FilterSlot> filters_;
  std::vector<std::vector<Bound>> bounds_;
  std::vector<Line> lines_;
  Bits used_{};
  size_t count_ = 0;
};

}  // namespace millrace
