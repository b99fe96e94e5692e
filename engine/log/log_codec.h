// A log as bytes, for RDB, DUMP, AOF rewrite and replication: its head and blocks as
// engine/blocks/blocks_codec.h draws them, then its groups (group_codec.h).
//
// Replicas and the AOF get the messages that compaction removes as ranges:
//
//   compacted     := (distance length)*                                (varints)
//
// `distance` is counted from the end of the previous range; for the first range, from 0.
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
// The same from untrusted bytes.
Result<LogHead> decode_log_head(ByteView bytes);

std::string encode_effect(const Removal& removal);
// The same from untrusted bytes; all offsets must be before `end`. Failure: Corrupt. `what` is the name of the messages
// in the error text.
Result<Removal> decode_removal(ByteView bytes, Offset end, const std::string& what);
// Takes the same messages out of the log that the effect was encoded for, and returns how many.
// Failure: Corrupt, and unchanged, if the log lacks one of them or if the last message is among them.
Result<uint64_t> apply_removal(Log& log, ByteView bytes, BlockLimits limits = {});

}  // namespace millrace
