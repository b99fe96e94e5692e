// A log as bytes, for RDB, DUMP, AOF rewrite and replication: its head and blocks as
// engine/blocks/blocks_codec.h draws them, then its groups (group_codec.h).
//
// What compaction takes out is told to replicas and the AOF:
//
//   compacted     := (distance length)*                                (varints)
//
// distance of each range to the end of the one before, to 0 for the first.
//
// To restore a log: decode the head, append_block() each block in order, then restore_head(),
// then the groups. Each step leaves a valid log or fails with Corrupt.
#pragma once

#include <string>

#include "engine/base/error.h"
#include "engine/blocks/blocks_codec.h"
#include "engine/log/log.h"

namespace millrace {

std::string encode_log_head(const Log& log);
// The same from bytes that nobody has vouched for.
Result<LogHead> decode_log_head(ByteView bytes);

std::string encode_effect(const Removal& removal);
// The same from bytes that nobody has vouched for: of offsets before `end`. Failure: Corrupt; it says `what` they are.
Result<Removal> decode_removal(ByteView bytes, Offset end, const std::string& what);
// Takes the same messages out of the log the effect was encoded for, and says how many.
// Failure: Corrupt, and unchanged, if they are not there or the last message is among them.
Result<uint64_t> apply_removal(Log& log, ByteView bytes, BlockLimits limits = {});

}  // namespace millrace
