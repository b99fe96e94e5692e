// The changes of groups as bytes, for replicas and the AOF; docs/formats/log.md draws them. Every string begins with
// the group's name, so each can be applied alone.
//
//   delivered := name at holder retry-ms expire-at fresh-first fresh-count, then first bits for each piece again
//   finished  := name, then first bits for each piece
//   given up  := name, then first bits attempts expired for each piece
//   given back:= name at how, then from to for each piece
//                how: 1 expiry postponed, 2 released, 4 uncounted; their sum
//   used      := name at
//   repeated  := name at retry-ms, then first bits for each piece
//
// Names, holders, dates and numbers are as in group_codec.h.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/log/log.h"

namespace millrace {

struct GivingBack {
  struct Piece {
    Offset from;
    Offset to;  // inclusive
  };
  UnixMs at;
  GiveBack how;
  std::vector<Piece> pieces;
};

// Messages that were delivered to their consumer once more, without counting an attempt.
struct Repetition {
  UnixMs at;
  uint32_t retry_ms;
  std::vector<OffsetBits> messages;
};

std::string encode_effect(ByteView group, const Delivery& delivery);
// Messages that are done.
std::string encode_effect(ByteView group, const std::vector<OffsetBits>& finished);
std::string encode_effect(ByteView group, const GivingUp& giving_up);
std::string encode_effect(ByteView group, const GivingBack& giving_back);
std::string encode_effect(ByteView group, const Repetition& repetition);
// The group was used.
std::string encode_effect(ByteView group, UnixMs used);
// Apply an effect to the log it was encoded for. Failure: Corrupt, and unchanged. A group that does not exist is
// created at the position that the delivery started from.
Result<void> apply_delivery(Log& log, ByteView bytes);
Result<void> apply_finish(Log& log, ByteView bytes);
Result<void> apply_giving_up(Log& log, ByteView bytes);
Result<void> apply_giving_back(Log& log, ByteView bytes);
Result<void> apply_repetition(Log& log, ByteView bytes);
Result<void> apply_use(Log& log, ByteView bytes);
// The bytes are the name of the group to drop.
Result<void> apply_drop(Log& log, ByteView bytes);

}  // namespace millrace
