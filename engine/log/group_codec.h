// Whole groups as bytes, for RDB, DUMP and AOF rewrite. docs/formats/log.md draws them. Every string begins with the
// group's name, so each can be applied alone. Changes of groups are in group_effects.h.
//
//   group    := name next lost expired exhausted redelivered
//               pending-max max-attempts dead-letter [more]              once a group
//   more     := fresh-is-next idle used last-delivery                    if one of them is not 0
//   pending  := name parts                                               up to 1,000 parts
//   part     := distance bits retry-at retry-ms expire-at attempts holder
//
// Names, keys and holders are a length and bytes; a holder is 0 for none, else length plus one. Dates: 0 for never,
// else date plus one. All numbers are varints.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/log/log.h"

namespace millrace {

std::string encode_group(const std::string& name, const Group& group);
std::vector<std::string> encode_pending(const std::string& name, const Group& group);
// Failure: Corrupt, and the log is unchanged. REQUIRES: the log has its blocks and head.
Result<void> restore_group(Log& log, ByteView bytes);
Result<void> restore_pending(Log& log, ByteView bytes);

}  // namespace millrace
