// Blocks that are no longer needed and wait to be freed. The caller frees them in parts, because freeing a million at
// once would be a pause. Whole runs of blocks are moved in one step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "engine/blocks/block.h"

namespace millrace {

class EvictedBlocks {
 public:
  bool empty() const { return runs_.empty(); }
  // The number of blocks. Cost: O(runs); memory() costs O(blocks).
  size_t size() const {
    size_t count = 0;
    for (const auto& run : runs_) count += run.size();
    return count;
  }

  void add(Block block) {
    runs_.emplace_back();
    runs_.back().push_back(std::move(block));
  }
  // One past the last message of the block that was added last. REQUIRES: !empty()
  Offset last_end() const { return runs_.back().back().end(); }
  // REQUIRES: the run is not empty
  void add_run(std::vector<Block> run) { runs_.push_back(std::move(run)); }
  // Cost: O(runs added).
  void add_all(EvictedBlocks others) {
    if (empty()) {
      runs_ = std::move(others.runs_);
    } else {
      std::ranges::move(others.runs_, std::back_inserter(runs_));
    }
  }

  // Frees runs until at least `count` blocks, or all, are freed.
  void free_some(size_t count) {
    for (size_t freed = 0; !empty() && freed < count; runs_.pop_back()) freed += runs_.back().size();
    if (empty()) runs_ = std::vector<std::vector<Block>>();  // "= {}" would keep the capacity
  }

  template <class Visit>
  void each(Visit visit) const {
    for (const auto& run : runs_) std::ranges::for_each(run, visit);
  }

  // Bytes of memory of the blocks, including the Block objects.
  uint64_t memory() const {
    uint64_t bytes = runs_.capacity() * sizeof(std::vector<Block>);
    for (const auto& run : runs_) bytes += run.capacity() * sizeof(Block);
    each([&](const Block& block) { bytes += block.memory(); });
    return bytes;
  }

 private:
  std::vector<std::vector<Block>> runs_;
};

}  // namespace millrace
