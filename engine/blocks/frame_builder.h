// Makes a frame (engine/base/frame_format.h) of messages. Whole blocks are copied as they are in memory, so a message
// costs little more than a copy of its bytes, and a packed one a fraction of that.
//
// Messages are rewritten only if a frame begins inside a block that is not packed: a reader that follows a log gets
// only the new messages, not the whole newest block each time. An unpacked block is cut after the last message; a
// packed one is sent whole.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/frame_format.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

struct FrameLimits {
  uint64_t messages = UINT64_MAX;
  // Limit on tags and entries: the frame ends before the block that would exceed it, unless that is the first one.
  uint64_t bytes = UINT64_MAX;
};

struct BuiltFrame {
  std::string bytes;
  uint64_t count = 0;  // messages
};

// Builds a frame of the messages from `from` on. epoch, log_first and log_next of `head` are used as given, the rest is
// filled in.
// The memory of `room` is reused; its contents are dropped. REQUIRES: there is a message at or after `from`;
// limits.messages > 0
BuiltFrame build_frame(const MessageBlocks& messages, FrameHead head, Offset from, FrameLimits limits,
                       std::string room = {});

// A frame without messages, for a reader that finds none: the reader continues at `from`.
std::string empty_frame(FrameHead head, Offset from);

}  // namespace millrace
