// Blocks nobody needs any more, on their way to be freed: at the caller's leisure, because
// freeing a million at once would be a pause. Whole runs of them change hands in one step.
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
  // How many. Costs the runs, as does memory() the blocks.
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
  // REQUIRES: there is one in it
  void add_run(std::vector<Block> run) { runs_.push_back(std::move(run)); }
  // Costs what is added, in runs.
  void add_all(EvictedBlocks others) {
    if (empty()) {
      runs_ = std::move(others.runs_);
    } else {
      std::ranges::move(others.runs_, std::back_inserter(runs_));
    }
  }

  // Frees runs until `count` blocks or more are gone, or all.
  void free_some(size_t count) {
    for (size_t freed = 0; !empty() && freed < count; runs_.pop_back()) freed += runs_.back().size();
    if (empty()) runs_ = std::vector<std::vector<Block>>();  // "= {}" would keep the room
  }

  template <class Visit>
  void each(Visit visit) const {
    for (const auto& run : runs_) std::ranges::for_each(run, visit);
  }

  // What they hold, and they themselves.
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
