// Makes a frame (engine/base/frame_format.h) of messages: whole blocks as they lie in memory, so that a message costs
// little more than the copy of its bytes, and a packed one a fraction of that.
//
// Only where a frame begins inside a block that is not packed are messages rewritten: a reader that follows a log
// gets what is new, not the whole newest block each time. A block that is not packed is cut behind the last message; a
// packed one travels whole.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/frame_format.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

struct FrameLimits {
  uint64_t messages = UINT64_MAX;
  // Of tags and entries: the frame ends before the block that would exceed it, unless that is the first one.
  uint64_t bytes = UINT64_MAX;
};

struct BuiltFrame {
  std::string bytes;
  uint64_t count = 0;  // messages
};

// The messages from `from` on. Of `head` epoch, log_first and log_next are as given, the rest is filled in.
// The room of `room` is used, whatever it holds. REQUIRES: there is a message at or after `from`; limits.messages > 0
BuiltFrame build_frame(const MessageBlocks& messages, FrameHead head, Offset from, FrameLimits limits,
                       std::string room = {});

// A frame without messages, for a reader that finds none: it goes on at `from`.
std::string empty_frame(FrameHead head, Offset from);

}  // namespace millrace
