// A set of documents, one bit per id: the documents that meet two conditions are found without looking at any document.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/index/index_ids.h"

namespace millrace {

class DocumentSet {
 public:
  // Without a limit: contains every document.
  DocumentSet() = default;
  // For ids below `limit`; contains none of them.
  explicit DocumentSet(uint32_t limit) : words_(limit / 64 + 1) {}

  // REQUIRES: made with a limit above the id
  void add(DocumentId id) { words_[id.value() / 64] |= uint64_t{1} << id.value() % 64; }
  // Keeps only documents that are in both. REQUIRES: made with the same limit
  void keep(const DocumentSet& others) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= others.words_[i];
  }
  uint64_t count() const {
    uint64_t count = 0;
    for (const uint64_t word : words_) count += static_cast<uint64_t>(std::popcount(word));
    return count;
  }
  // Calls visit(id) for each, in ascending order. REQUIRES: made with a limit
  template <class Visit>
  void each(Visit visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t left = words_[i]; left != 0; left &= left - 1) {
        visit(DocumentId(static_cast<uint32_t>(i * 64 + static_cast<size_t>(std::countr_zero(left)))));
      }
    }
  }
  bool has(DocumentId id) const { return words_.empty() || (words_[id.value() / 64] >> id.value() % 64 & 1) != 0; }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace millrace
