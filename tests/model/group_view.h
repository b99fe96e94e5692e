// The state of a group, message by message. Two equal groups may differ in their division into ranges, and in the
// ranges that were already found to be due.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "engine/log/log.h"

namespace millrace::testing {

struct PendingMessage {
  uint64_t offset = 0;
  uint64_t retry_at = 0;
  uint64_t expire_at = kNeverExpires;
  uint32_t retry_ms = 0;
  uint32_t attempts = 1;
  std::optional<std::string> consumer;

  friend bool operator==(const PendingMessage&, const PendingMessage&) = default;
  friend std::ostream& operator<<(std::ostream& out, const PendingMessage& message) {
    out << message.offset << " at " << message.retry_at << " every " << message.retry_ms;
    if (message.expire_at != kNeverExpires) out << " until " << message.expire_at;
    return out << " attempts " << message.attempts << " held by " << message.consumer.value_or("nobody");
  }
};

inline std::vector<PendingMessage> pending_of(const Group& group) {
  std::vector<PendingMessage> messages;
  group.pending().each_from(Offset(0), [&](const PendingPart& part) {
    const PendingTerms& terms = part.terms;
    std::optional<std::string> consumer;
    if (terms.consumer.is_some()) consumer = std::string(group.consumers().name(terms.consumer));
    part.messages.each([&](Offset offset) {
      messages.push_back({offset.value(), terms.retry_at, terms.expire_at, terms.retry_ms, terms.attempts, consumer});
    });
    return true;
  });
  return messages;
}

inline bool same_group(const Group& a, const Group& b) {
  return a.next() == b.next() && a.settings() == b.settings() && a.counters() == b.counters() &&
         a.fresh_is_next() == b.fresh_is_next() && a.used() == b.used() && a.last_delivery() == b.last_delivery() &&
         a.consumers().count() == b.consumers().count() && pending_of(a) == pending_of(b);
}

inline bool same_groups(const Log& a, const Log& b) {
  if (a.groups().size() != b.groups().size()) return false;
  for (const auto& [name, group] : a.groups()) {
    const auto other = b.groups().find(name);
    if (other == b.groups().end() || !same_group(group, other->second)) return false;
  }
  return true;
}

}  // namespace millrace::testing
