// The offsets whose messages were deleted. Reads report these offsets, but not those of messages that compaction
// removed. Takes sixteen bytes for each group of 64 offsets with at least one deletion.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "engine/base/ordered_chunks.h"
#include "engine/base/strong.h"
#include "engine/blocks/removal.h"

namespace millrace {

class DeletedOffsets {
 public:
  bool empty() const { return words_.empty(); }

  void add(const Removal& removal) {
    for (const Removal::Range& range : removal.ranges) {
      for (uint64_t at = range.from.value(); at < range.to.value();) {
        const uint64_t end = std::min(range.to.value(), (at / 64 + 1) * 64);
        add_word(at / 64, (end - at == 64 ? ~uint64_t{0} : (uint64_t{1} << (end - at)) - 1) << (at % 64));
        at = end;
      }
    }
  }
  // Offset 64 * index + i for each bit i.
  void add_word(uint64_t index, uint64_t bits) {
    Word* const word = words_.find(index);
    word != nullptr ? void(word->bits |= bits) : words_.insert({index, bits});
  }

  // The first one at or after `from` and before `end`.
  std::optional<Offset> next(Offset from, Offset end) const {
    uint64_t at = from.value();
    const Word* word = words_.ceiling(at / 64);
    if (word != nullptr && word->index == at / 64 && (word->bits >> (at % 64)) == 0) {
      word = words_.ceiling(at / 64 + 1);
    }
    if (word == nullptr) return std::nullopt;
    const uint64_t bits = word->index == at / 64 ? word->bits & ~uint64_t{0} << (at % 64) : word->bits;
    const Offset found(word->index * 64 + static_cast<uint64_t>(std::countr_zero(bits)));
    if (found >= end) return std::nullopt;
    return found;
  }

  // Calls visit(index, bits) for all words from `from` on; the arguments are those of add_word().
  template <class Visit>
  void each_word(Offset from, Visit visit) const {
    words_.each([&](const Word& word) {
      if (word.index < from.value() / 64) return;
      const bool is_first = word.index == from.value() / 64;
      const uint64_t bits = is_first ? word.bits & ~uint64_t{0} << (from.value() % 64) : word.bits;
      if (bits != 0) visit(word.index, bits);
    });
  }

  // Drops offsets before `first`, which are no longer needed. Each call drops only a part, at least 64.
  void forget_before(Offset first) {
    constexpr int kWordsAtOnce = 16;
    for (int i = 0; i < kWordsAtOnce && !words_.empty() && words_.front().index < first.value() / 64; ++i) {
      words_.erase(words_.front().index);
    }
  }

  uint64_t memory() const { return words_.memory(); }
  const char* check() const { return words_.check(); }

 private:
  struct Word {
    uint64_t index;  // the first offset divided by 64
    uint64_t bits;
  };
  static uint64_t index_of(const Word& word) { return word.index; }

  OrderedChunks<Word, index_of> words_;
};

}  // namespace millrace
