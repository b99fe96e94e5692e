// Writes messages that need not follow on into new blocks: what compaction makes of the
// blocks it takes something out of.
#pragma once

#include <vector>

#include "engine/base/message.h"
#include "engine/blocks/block.h"
#include "engine/blocks/tag_index.h"

namespace millrace {

class BlockRewriter {
 public:
  // If about so many bytes of records are to come, each block gets its room at once. 0: that is not known.
  explicit BlockRewriter(BlockLimits limits, uint64_t expected = 0);

  // REQUIRES: its offset is above that of the message before, its date not below.
  void add(const Message& message);

  // The blocks, full ones but for the last. Nothing may be added then.
  std::vector<Block> finish();

 private:
  bool append(const Message& message);
  void close();

  BlockLimits limits_;
  uint64_t expected_;  // bytes still to come
  Block block_;        // every record has a gap before it, even if all are 0
  TagIndex tags_;
  std::vector<Block> blocks_;
};

}  // namespace millrace
