// Messages as bytes, for RDB, DUMP, AOF rewrite and replication: one head, and two strings per block, so that a copy of
// many messages is never held in one string. docs/formats/log.md draws them.
//
//   head          := version first next clock count age bytes flags blocks groups
//                    evicted-end compacted                             (varints)
//   flags         := 1 acked + 2 latest
//   block header  := first first-time count [unpacked-size [missing]]  (varints)
//   block bytes   := the block as it is in memory; packed if its unpacked size is not 0
//
// A block that is not packed and has no gaps omits both fields. The head of version 1 ended after `groups` and can
// still be read.
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
  // Only for a log: its retention (engine/log/retention.h), …
  uint64_t count = 0;
  uint64_t age_ms = 0;
  uint64_t bytes = 0;
  bool acked = false;
  bool latest = false;
  // the number of its groups, and what was evicted and compacted.
  uint64_t groups = 0;
  Offset evicted_end{1};
  uint64_t compacted = 0;

  // True if only a log can have this head.
  bool is_of_log() const {
    return count != 0 || age_ms != 0 || bytes != 0 || acked || latest || groups != 0 || evicted_end != first ||
           compacted != 0;
  }
};

// The head of messages that do not belong to a log.
SavedHead saved_head(const MessageBlocks& messages);

std::string encode_head(const SavedHead& head);
std::string encode_block_header(const Block& block);

// The same from untrusted bytes. Failure: Corrupt.
Result<SavedHead> decode_head(ByteView bytes);
Result<BlockHeader> decode_block_header(ByteView bytes);

}  // namespace millrace
