#include "engine/log/log_requests.h"

#include <string>

namespace millrace {

Offset StartOffset::in(const Log* log) const {
  if (!from_end_) return Offset(value_);
  const Offset next = log == nullptr ? Offset(1) : log->next();
  // In an empty log, offsets from the end mean the next offset.
  if (log != nullptr && log->empty()) return next;
  return value_ >= next.value() ? Offset(1) : next - value_;
}

Retention RetainRequest::applied_to(Retention old) const {
  return {.count = count.value_or(old.count),
          .age_ms = age_ms.value_or(old.age_ms),
          .bytes = bytes.value_or(old.bytes),
          .acked = acked.value_or(old.acked),
          .ids_ms = ids_ms.value_or(old.ids_ms),
          .refuse = refuse.value_or(old.refuse),
          .latest = latest.value_or(old.latest)};
}

GroupSettings SetGroupRequest::applied_to(const GroupSettings& old) const {
  return {.pending_max = pending_max.value_or(old.pending_max),
          .max_attempts = max_attempts.value_or(old.max_attempts),
          .dead_letter = dead_letter ? std::string(*dead_letter) : old.dead_letter,
          .idle_ms = idle_ms.value_or(old.idle_ms)};
}

}  // namespace millrace
