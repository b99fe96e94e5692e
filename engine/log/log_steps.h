// Steps that several operations on logs share.
#pragma once

#include <optional>

#include "engine/log/log.h"
#include "engine/log/log_effects.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"

namespace millrace {

[[gnu::noinline]] inline void tell_clock(const Log& log, Effects& effects) {
  effects.add(kLogClock, log.clock().value());
}
// Moves the log's clock to the present. The change is an effect, at most once per millisecond: when a replica repeats a
// write, the messages get this clock as their date.
inline void move_clock(Log& log, const Call& call, Effects& effects) {
  if (call.decides && log.tick(call.now.wall)) [[unlikely]] {
    tell_clock(log, effects);
  }
}

// The date is on the monotonic clock if the caller has one: a wall clock that is set back must not delay the work.
inline void look_after_in(std::optional<uint64_t> ms, const Call& call, Consequences& follow) {
  if (!ms) return;
  if (call.now.monotonic == MonotonicMs()) return follow.look_after_at(call.now.wall + *ms);
  follow.look_after_at(call.now.monotonic + *ms);
}

// Continues compaction, if there is any: soon, if a third of the messages have a newer one or their number is not known
// yet; else later, so that the work for several writes is done together.
inline void keep_compaction(const Log& log, const Call& call, Consequences& follow) {
  constexpr uint64_t kCompactSoonMs = 1;
  constexpr uint64_t kCompactLaterMs = 20;
  if (!log.wants_compaction()) return;
  look_after_in(log.compaction_is_urgent() ? kCompactSoonMs : kCompactLaterMs, call, follow);
}

// Wakes all readers that may get messages now, because there are new ones or a group has room again.
inline Wake wake_readers(const Log& log) { return {.mark = log.next().value(), .lines = Wake::Lines::All, .line = {}}; }

}  // namespace millrace
