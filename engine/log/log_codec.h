// A log as bytes, for RDB, DUMP, AOF rewrite and replication. It travels as one head
// and two strings a block, so that nobody ever holds a second copy of a large log in
// one piece; docs/formats/log.md draws them.
//
//   head          := version first next clock count age bytes acked blocks groups   (varints)
//   block header  := first first-time count [unpacked-size]            (varints)
//   block bytes   := the block as it is in memory; packed if the header has an unpacked size
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

}  // namespace millrace
