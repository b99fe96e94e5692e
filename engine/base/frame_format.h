// A frame: many messages of a log in one string. TREAD with FRAMED returns one, TWRITE with FRAMED takes one.
// docs/formats/frame.md explains the format with an example.
//
//   frame  := "MRF" version  epoch log-first log-next  from end count  block …
//   block  := first first-time count unpacked missing size  bytes
//
// Version is one byte, 1. Everything except `bytes` is a varint.
//
// epoch, log-first, log-next   the log it was read from, at that moment; epoch 0: it was not read from a log
// from, end                    the messages of the frame are those at offsets [from, end) of its blocks; a reader goes
//                              on at `end`
// count                        how many these are
//
// A block has the same bytes as in the memory of a log (record_format.h): `count` messages beginning at the offset
// `first`, with `missing` offsets between them that have no message. If `unpacked` is not 0 its bytes are packed: one
// zstd frame that unpacks to that many bytes. A packed block is always sent whole, so the first block may begin before
// `from`, and the last one may end after `end`.
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

// An upper bound for an encoded head, and for a block without its bytes.
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
