// The full blocks of a log, oldest first: blocks are added at the end, taken from the
// front, and found by offset or date in O(log n).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/log/block.h"

namespace millrace {

class BlockList {
 public:
  bool empty() const { return size() == 0; }
  size_t size() const { return blocks_.size() - head_; }
  Block& front() { return blocks_[head_]; }
  const Block& front() const { return blocks_[head_]; }
  const Block& back() const { return blocks_.back(); }
  const Block& operator[](size_t i) const { return blocks_[head_ + i]; }

  void push_back(Block block) { blocks_.push_back(std::move(block)); }

  // Amortised O(1): the room of taken blocks is closed when it is half of the list.
  Block pop_front() {
    Block taken = std::move(blocks_[head_++]);
    if (head_ * 2 > blocks_.size()) {
      blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<ptrdiff_t>(head_));
      head_ = 0;
      if (blocks_.capacity() > 4 * blocks_.size() + 16) blocks_.shrink_to_fit();
    }
    return taken;
  }

  // The index of the first block that `is_past` says true of; size() if of none.
  // REQUIRES: is_past is false for some first blocks and true for all others.
  template <class Predicate>
  size_t find(Predicate is_past) const {
    auto begin = blocks_.begin() + static_cast<ptrdiff_t>(head_);
    auto found = std::partition_point(begin, blocks_.end(), [&](const Block& b) { return !is_past(b); });
    return static_cast<size_t>(found - begin);
  }

  BlockList clone() const {
    BlockList copy;
    copy.blocks_.reserve(size());
    for (size_t i = 0; i < size(); ++i) copy.blocks_.push_back((*this)[i].clone());
    return copy;
  }

  size_t memory() const { return blocks_.capacity() * sizeof(Block); }

 private:
  std::vector<Block> blocks_;  // [0, head_) have been taken
  size_t head_ = 0;
};

}  // namespace millrace
