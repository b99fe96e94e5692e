#include "engine/channel/message_ids.h"

namespace millrace {

// The last offset of the log that ends in these bits; 0 if the log never got so far.
Offset MessageIds::offset_of(const Log& log, uint32_t low) {
  const uint32_t back = static_cast<uint32_t>(log.last().value()) - low;
  return back > log.last().value() ? Offset(0) : log.last() - back;
}

bool MessageIds::has_id(const Log& log, uint32_t low, ByteView id) {
  const Offset offset = offset_of(log, low);
  if (offset < log.first()) return false;
  Message message;
  return Log::Cursor(log, offset).next(message) && message.tag == id;
}

std::optional<Offset> MessageIds::find(const Log& log, uint32_t hash, ByteView id) const {
  const uint32_t* low = index_.find(hash, [&](uint32_t candidate) { return has_id(log, candidate, id); });
  if (low == nullptr) return std::nullopt;
  return offset_of(log, *low);
}

void MessageIds::add(const Log& log, uint32_t hash, Offset offset) {
  index_.insert(hash, static_cast<uint32_t>(offset.value()), [&](uint32_t candidate) { return lives(log, candidate); });
}

void MessageIds::add_or_replace(const Log& log, uint32_t hash, ByteView id, Offset offset) {
  uint32_t* known = index_.find(hash, [&](uint32_t candidate) { return has_id(log, candidate, id); });
  if (known == nullptr) return add(log, hash, offset);
  *known = static_cast<uint32_t>(offset.value());
}

void MessageIds::shrink(const Log& log) {
  index_.shrink(log.count(), [&](uint32_t candidate) { return lives(log, candidate); });
}

const char* MessageIds::check(const Log& log) const {
  if (const char* broken = index_.check()) return broken;
  Message message;
  for (Log::Cursor cursor(log, log.first()); cursor.next(message);) {
    const auto found = find(log, hash(message.tag), message.tag);
    if (!found) return "a message is not found by its id";
    if (*found < message.offset) return "an id leads to an older message";
  }
  return nullptr;
}

}  // namespace millrace
