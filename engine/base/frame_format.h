// A frame: many messages of a log in one string. TREAD … FRAMED answers one, TWRITE … FRAMED takes one.
// docs/formats/frame.md says the same for people, with an example.
//
//   frame  := "MRF" version  epoch log-first log-next  from end count  block …
//   block  := first first-time count unpacked missing size  bytes
//
// Version is one byte, 1. All that is not bytes is a varint.
//
// epoch, log-first, log-next   the log it was read from, at that moment; epoch 0: it was not read from a log
// from, end                    the messages of the frame are those at offsets [from, end) of its blocks; a reader goes
//                              on at `end`
// count                        how many these are
//
// A block is one of a log as it lies in memory (record_format.h): `count` messages beginning at the offset `first`,
// with `missing` offsets between them that have no message. If `unpacked` is not 0 its bytes are packed, one frame of
// zstd that unpacks to so many. A packed block travels whole, so that the first one may begin before `from`, and the
// last one end behind `end`.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/base/varint.h"

namespace millrace {

inline constexpr ByteView kFrameMark("MRF\x01", 4);

struct FrameHead {
  LogEpoch epoch;
  Offset log_first{1};
  Offset log_next{1};
  Offset from{1};
  Offset end{1};
  uint64_t count = 0;
};

struct FrameBlock {
  Offset first;
  UnixMs first_time;
  uint64_t count = 0;
  uint64_t unpacked = 0;
  uint64_t missing = 0;
  ByteView bytes;
};

// More than an encoded head, or a block without its bytes, takes.
inline constexpr size_t kMostFrameHeadBytes = 64;

inline void append_frame_head(std::string& frame, const FrameHead& head) {
  frame += kFrameMark;
  for (uint64_t number : {head.epoch.value(), head.log_first.value(), head.log_next.value(), head.from.value(),
                          head.end.value(), head.count}) {
    append_varint(frame, number);
  }
}

inline void append_frame_block(std::string& frame, const FrameBlock& block) {
  for (uint64_t number : {block.first.value(), block.first_time.value(), block.count, block.unpacked, block.missing,
                          uint64_t{block.bytes.size()}}) {
    append_varint(frame, number);
  }
  frame += block.bytes;
}

}  // namespace millrace
