// Steps that operations on groups share: looking up a group that must exist, getting its time and recording its use,
// and finding which of the named messages a consumer holds.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/quoted.h"
#include "engine/log/group_effects.h"
#include "engine/log/log_effects.h"
#include "engine/log/log_requests.h"
#include "engine/log/log_steps.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"

namespace millrace {

inline Error no_group(ByteView log, ByteView group) {
  return {ErrorCode::NoGroup, "no group " + quoted(group) + " in the log " + quoted(log)};
}

// The same ranges, or the parts of them that one consumer holds, until the limits of the search are reached.
inline std::vector<OffsetRange> held_ranges(const Group& group, const std::vector<OffsetRange>& ranges,
                                            const std::optional<ByteView>& consumer, PendingSearch& search) {
  if (!consumer) return ranges;
  std::vector<OffsetRange> held;
  for (const OffsetRange& range : ranges) {
    for (const PendingPart& part : group.pending_in(range.from, range.to, consumer, search)) {
      held.push_back({part.messages.first, part.messages.end() - 1});
    }
  }
  return held;
}

// The group's time. If this engine decides, records that the group is used.
inline UnixMs use_group(Group& group, ByteView name, const Call& call, Effects& effects) {
  if (call.decides) group.run_clock(call.now);
  const UnixMs time = group.time(call.now);
  if (call.decides && group.use(time)) effects.add(kLogUsed, encode_effect(name, time));
  return time;
}

inline void look_after_group(Group& group, const Call& call, Consequences& follow) {
  if (call.decides) group.run_clock(call.now);
  look_after_in(group.ms_until_event(call.now), call, follow);
}

}  // namespace millrace
