// A log as bytes, for RDB, DUMP, AOF rewrite and replication. It travels as one head
// and two strings a block, so that nobody ever holds a second copy of a large log in
// one piece; docs/formats/log.md draws them.
//
//   head          := version first next clock count age bytes flags blocks groups
//                    evicted-end compacted                             (varints)
//   flags         := 1 acked + 2 latest
//   block header  := first first-time count [unpacked-size [missing]]  (varints)
//   block bytes   := the block as it is in memory; packed if its unpacked size is not 0
//
// A block that is not packed and has no gaps does not say so. The head of version 1 ended
// with the groups and is still read.
//
// What compaction takes out is told to replicas and the AOF:
//
//   compacted     := (distance length)*                                (varints)
//
// distance of each range to the end of the one before, to 0 for the first.
//
// To put a log together again: decode the head, append_block() every block in order,
// then restore_head(), then the groups (group_codec.h). Each step leaves a valid log or
// fails with Corrupt.
#pragma once

#include <string>

#include "engine/base/error.h"
#include "engine/log/log.h"

namespace millrace {

std::string encode_log_head(const Log& log);
std::string encode_block_header(const Block& block);

// The same from bytes that nobody has vouched for.
Result<LogHead> decode_log_head(ByteView bytes);
Result<BlockHeader> decode_block_header(ByteView bytes);

std::string encode_effect(const Removal& removal);
// Takes the same messages out of the log the effect was encoded for, and says how many.
// Failure: Corrupt, and unchanged, if they are not there or the last message is among them.
Result<uint64_t> apply_removal(Log& log, ByteView bytes, BlockLimits limits = {});

}  // namespace millrace
