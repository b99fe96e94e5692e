// Writes messages, whose offsets may have gaps, into new blocks. Compaction uses it for blocks from which it removes
// messages.
#pragma once

#include <vector>

#include "engine/base/message.h"
#include "engine/blocks/block.h"
#include "engine/blocks/tag_index.h"

namespace millrace {

class BlockRewriter {
 public:
  // `expected` is roughly how many bytes of records will be added, so that each block gets its memory at once. 0:
  // unknown.
  explicit BlockRewriter(BlockLimits limits, uint64_t expected = 0);

  // REQUIRES: its offset is greater than that of the previous message, and its date is not earlier.
  void add(const Message& message);

  // The blocks, all full except the last. No message may be added afterwards.
  std::vector<Block> finish();

 private:
  bool append(const Message& message);
  void close();

  BlockLimits limits_;
  uint64_t expected_;  // bytes still to come
  Block block_;        // every record has a gap field, even if all are 0
  TagIndex tags_;
  std::vector<Block> blocks_;
};

}  // namespace millrace
