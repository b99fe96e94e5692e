// Steps that several operations on logs share.
#pragma once

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

// When to continue compaction: soon, if a third of the messages have a newer one or their number is not known yet; else
// later, so that the work for several writes is done together.
inline UnixMs next_compaction(const Log& log, UnixMs now) {
  constexpr uint64_t kCompactSoonMs = 1;
  constexpr uint64_t kCompactLaterMs = 20;
  return now + (log.compaction_is_urgent() ? kCompactSoonMs : kCompactLaterMs);
}

// Wakes all readers that may get messages now, because there are new ones or a group has room again.
inline Wake wake_readers(const Log& log) { return {.mark = log.next().value(), .lines = Wake::Lines::All, .line = {}}; }

}  // namespace millrace
