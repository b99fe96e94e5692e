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
  explicit BlockRewriter(BlockLimits limits);

  // REQUIRES: its offset is above that of the message before, its date not below.
  void add(const Message& message);

  // The blocks, full ones but for the last. Nothing may be added then.
  std::vector<Block> finish();

 private:
  bool append(const Message& message);
  void close();

  BlockLimits limits_;
  Block block_;  // every record has a gap before it, even if all are 0
  TagIndex tags_;
  std::vector<Block> blocks_;
};

}  // namespace millrace
