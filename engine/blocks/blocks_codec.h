// Messages as bytes, for RDB, DUMP, AOF rewrite and replication: one head and two strings a
// block, so that a second copy of many messages is never held in one piece. docs/formats/log.md
// draws them.
//
//   head          := version first next clock count age bytes flags blocks groups
//                    evicted-end compacted                             (varints)
//   flags         := 1 acked + 2 latest
//   block header  := first first-time count [unpacked-size [missing]]  (varints)
//   block bytes   := the block as it is in memory; packed if its unpacked size is not 0
//
// A block that is neither packed nor has gaps leaves both fields out. The head of version 1 ended
// with the groups and is still read.
//
// The head is that of a log (engine/log/log_codec.h), also for the messages of a channel or of a
// queue: for these, count, age, bytes, flags, groups and compacted are 0, and evicted-end is
// first.
//
// To restore messages: decode the head, append_block() each block in order, then restore_head().
// Each step leaves valid messages or fails with Corrupt.
#pragma once

#include <string>

#include "engine/base/error.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

struct SavedHead : MessagesHead {
  // Of a log: what it keeps (engine/log/retention.h), …
  uint64_t count = 0;
  uint64_t age_ms = 0;
  uint64_t bytes = 0;
  bool acked = false;
  bool latest = false;
  // … how many groups it has, and what it has evicted and compacted.
  uint64_t groups = 0;
  Offset evicted_end{1};
  uint64_t compacted = 0;

  // True if a log alone can have this head.
  bool is_of_log() const {
    return count != 0 || age_ms != 0 || bytes != 0 || acked || latest || groups != 0 || evicted_end != first ||
           compacted != 0;
  }
};

// The head of messages that are not a log's.
SavedHead saved_head(const MessageBlocks& messages);

std::string encode_head(const SavedHead& head);
std::string encode_block_header(const Block& block);

// The same from bytes that nobody has vouched for. Failure: Corrupt.
Result<SavedHead> decode_head(ByteView bytes);
Result<BlockHeader> decode_block_header(ByteView bytes);

}  // namespace millrace
