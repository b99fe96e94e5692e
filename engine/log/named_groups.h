// What operations on groups have in common: a group that must be there, and which of the messages that were named a
// consumer holds.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/quoted.h"
#include "engine/log/log_requests.h"

namespace millrace {

inline Error no_group(ByteView log, ByteView group) {
  return {ErrorCode::NoGroup, "no group " + quoted(group) + " in the log " + quoted(log)};
}

// The same ranges, or those parts of them that one consumer holds.
inline std::vector<OffsetRange> held_ranges(const Group& group, const std::vector<OffsetRange>& ranges,
                                            const std::optional<ByteView>& consumer) {
  if (!consumer) return ranges;
  std::vector<OffsetRange> held;
  for (const OffsetRange& range : ranges) {
    for (const PendingPart& part : group.pending_in(range.from, range.to, consumer)) {
      held.push_back({part.messages.first, part.messages.end() - 1});
    }
  }
  return held;
}

}  // namespace millrace
