// The full blocks of a log, oldest first: added at the end, taken from the front, found by
// offset or date in O(log n), and replaced in the middle where a log is compacted.
//
// They are kept in chunks, so that a list of a million blocks never moves more than one
// chunk of them at once, whatever is done to it:
//
//   chunk 0           chunk 1            chunk 2
//   [. . 2 3 4 5 6 ]  [ 7 8 9 10 11 ]    [ 12 13 14
//        ^ taken: two have been taken from the front
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/log/block.h"

namespace millrace {

class BlockList {
 public:
  bool empty() const { return size() == 0; }
  size_t size() const { return end_ - taken_; }
  Block& front() { return chunks_.front().blocks[head()]; }
  const Block& front() const { return chunks_.front().blocks[head()]; }
  const Block& back() const { return chunks_.back().blocks.back(); }
  // O(log n), of the number of chunks.
  const Block& operator[](size_t i) const {
    const Chunk& chunk = chunks_[chunk_of(taken_ + i)];
    return chunk.blocks[taken_ + i - chunk.start];
  }

  void push_back(Block block) {
    if (chunks_.empty() || chunks_.back().blocks.size() >= kChunk) chunks_.push_back({end_, {}});
    chunks_.back().blocks.push_back(std::move(block));
    ++end_;
  }

  Block pop_front() {
    Block taken = std::move(front());
    ++taken_;
    if (empty()) {
      *this = BlockList();
    } else if (head() == chunks_.front().blocks.size()) {
      chunks_.erase(chunks_.begin());
    } else if (chunks_.size() == 1 && head() * 2 > chunks_.front().blocks.size()) {
      // A short list gives its room back, too: amortised, that costs nothing.
      close_head();
      if (room_is_wasted(chunks_.front())) chunks_.front().blocks.shrink_to_fit();
    }
    return taken;
  }

  // Puts `blocks` in the place of those from number `from` up to but not including `to`.
  // Cost: theirs, the rest of a chunk or two, and one step for each chunk behind them.
  // REQUIRES: from < to <= size()
  void replace(size_t from, size_t to, std::vector<Block> blocks) {
    close_head();
    const size_t i = chunk_of(taken_ + from);
    const size_t at = taken_ + from - chunks_[i].start;
    erase(i, at, to - from);
    auto& into = chunks_[i].blocks;
    into.insert(into.begin() + static_cast<ptrdiff_t>(at), std::move_iterator(blocks.begin()),
                std::move_iterator(blocks.end()));
    tidy(i);
    number_from(i == 0 ? 0 : i - 1);
    if (empty()) *this = BlockList();
  }

  // The index of the first block that `is_past` says true of; size() if of none.
  // REQUIRES: is_past is false for some first blocks and true for all others.
  template <class Predicate>
  size_t find(Predicate is_past) const {
    const auto not_past = [&](const Block& b) { return !is_past(b); };
    const auto chunk =
        std::ranges::partition_point(chunks_, not_past, [](const Chunk& c) -> const Block& { return c.blocks.back(); });
    if (chunk == chunks_.end()) return size();
    const size_t first = chunk == chunks_.begin() ? head() : 0;
    const auto begin = chunk->blocks.begin() + static_cast<ptrdiff_t>(first);
    const auto found = std::partition_point(begin, chunk->blocks.end(), not_past);
    return chunk->start + static_cast<size_t>(found - chunk->blocks.begin()) - taken_;
  }

  template <class Visit>
  void each(Visit visit) const {
    for (size_t i = 0; i < chunks_.size(); ++i) {
      const auto& blocks = chunks_[i].blocks;
      for (size_t at = i == 0 ? head() : 0; at < blocks.size(); ++at) visit(blocks[at]);
    }
  }

  BlockList clone() const {
    BlockList copy;
    for (size_t i = 0; i < chunks_.size(); ++i) {
      const auto& blocks = chunks_[i].blocks;
      Chunk& cloned = copy.chunks_.emplace_back(Chunk{copy.end_, {}});
      cloned.blocks.reserve(blocks.size() - (i == 0 ? head() : 0));
      for (size_t at = i == 0 ? head() : 0; at < blocks.size(); ++at) cloned.blocks.push_back(blocks[at].clone());
      copy.end_ += cloned.blocks.size();
    }
    return copy;
  }

  size_t memory() const {
    size_t bytes = chunks_.capacity() * sizeof(Chunk);
    for (const Chunk& chunk : chunks_) bytes += chunk.blocks.capacity() * sizeof(Block);
    return bytes;
  }

 private:
  static constexpr size_t kChunk = 256;

  // Blocks are numbered from the first that was ever in the list.
  struct Chunk {
    size_t start;  // the number of its first place
    std::vector<Block> blocks;
  };

  size_t head() const { return taken_ - chunks_.front().start; }  // empty places of the first chunk

  size_t chunk_of(size_t number) const {
    if (chunks_.size() == 1) return 0;
    return static_cast<size_t>(std::ranges::upper_bound(chunks_, number, {}, &Chunk::start) - chunks_.begin()) - 1;
  }

  static bool room_is_wasted(const Chunk& chunk) { return chunk.blocks.capacity() > 4 * chunk.blocks.size() + 16; }

  void close_head() {
    auto& blocks = chunks_.front().blocks;
    blocks.erase(blocks.begin(), blocks.begin() + static_cast<ptrdiff_t>(head()));
    chunks_.front().start = taken_;
  }

  // Takes `count` blocks out, the first of them from place `at` of chunk `i`, which stays
  // even if it is empty then: it takes what comes in.
  void erase(size_t i, size_t at, size_t count) {
    for (size_t c = i; count > 0; at = 0) {
      auto& blocks = chunks_[c].blocks;
      const size_t here = std::min(count, blocks.size() - at);
      const auto begin = blocks.begin() + static_cast<ptrdiff_t>(at);
      blocks.erase(begin, begin + static_cast<ptrdiff_t>(here));
      count -= here;
      if (c == i || !blocks.empty()) {
        ++c;
      } else {
        chunks_.erase(chunks_.begin() + static_cast<ptrdiff_t>(c));
      }
    }
  }

  // Chunk `i` has changed: none is empty, none is much too large, and small neighbours
  // become one.
  void tidy(size_t i) {
    auto& blocks = chunks_[i].blocks;
    const auto place = [&](size_t c) { return chunks_.begin() + static_cast<ptrdiff_t>(c); };
    if (blocks.empty()) {
      chunks_.erase(place(i));
      if (i == 0 && !chunks_.empty()) chunks_[0].start = taken_;
    } else if (blocks.size() > 2 * kChunk) {
      const auto half = blocks.begin() + static_cast<ptrdiff_t>(blocks.size() / 2);
      Chunk upper{0, {std::move_iterator(half), std::move_iterator(blocks.end())}};
      blocks.erase(half, blocks.end());
      chunks_.insert(place(i + 1), std::move(upper));
    } else if (i > 0 && chunks_[i - 1].blocks.size() + blocks.size() <= kChunk / 2) {
      std::move(blocks.begin(), blocks.end(), std::back_inserter(chunks_[i - 1].blocks));
      chunks_.erase(place(i));
    } else if (room_is_wasted(chunks_[i])) {
      blocks.shrink_to_fit();
    }
  }

  // Numbers the chunks anew from chunk `i` on, whose own number is right.
  void number_from(size_t i) {
    for (; i + 1 < chunks_.size(); ++i) chunks_[i + 1].start = chunks_[i].start + chunks_[i].blocks.size();
    end_ = chunks_.empty() ? taken_ : chunks_.back().start + chunks_.back().blocks.size();
  }

  std::vector<Chunk> chunks_;  // none is empty
  size_t taken_ = 0;           // the number of the first block
  size_t end_ = 0;             // one past the number of the last
};

}  // namespace millrace
