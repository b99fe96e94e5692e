// Groups as bytes: whole, for RDB, DUMP and AOF rewrite, and what happens to them, for
// replicas and the AOF. docs/formats/log.md draws them. Every string begins with the
// group's name, so each can be applied alone.
//
//   group    := name next lost expired exhausted redelivered
//               pending-max max-attempts dead-letter                     once a group
//   pending  := name parts                                               up to 1,000 parts
//   part     := distance bits retry-at retry-ms expire-at attempts holder
//
//   delivered := name at holder retry-ms expire-at fresh-first fresh-count pieces
//   given up  := name, then first bits attempts expired for each piece
//   given back:= name at postpone, then from to for each piece
//
// Names, keys and holders are a length and bytes; a holder is 0 for nobody, else length
// plus one. Dates: 0 for never, else date plus one. All numbers are varints.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/log/log.h"

namespace millrace {

// --- whole groups ---
std::string encode_group(const std::string& name, const Group& group);
std::vector<std::string> encode_pending(const std::string& name, const Group& group);
// Failure: Corrupt, and the log is unchanged. REQUIRES: the log has its blocks and head.
Result<void> restore_group(Log& log, ByteView bytes);
Result<void> restore_pending(Log& log, ByteView bytes);

// --- effects ---
struct GivingBack {
  struct Piece {
    Offset from;
    Offset to;  // inclusive
  };
  UnixMs at;
  bool postpone_expiry = false;
  std::vector<Piece> pieces;
};

std::string encode_effect(ByteView group, const Delivery& delivery);
std::string encode_effect(ByteView group, const GivingUp& giving_up);
std::string encode_effect(ByteView group, const GivingBack& giving_back);
// Apply an effect to the log it was encoded for. Failure: Corrupt, and unchanged; a group
// that does not exist is made where a delivery says it began.
Result<void> apply_delivery(Log& log, ByteView bytes);
Result<void> apply_giving_up(Log& log, ByteView bytes);
Result<void> apply_giving_back(Log& log, ByteView bytes);

}  // namespace millrace
