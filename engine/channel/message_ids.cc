#include "engine/channel/message_ids.h"

namespace millrace {

// The last offset that ends in these bits; 0 if the channel has not reached such an offset.
Offset MessageIds::offset_of(const MessageBlocks& messages, uint32_t low) {
  const uint32_t back = static_cast<uint32_t>(messages.last().value()) - low;
  return back > messages.last().value() ? Offset(0) : messages.last() - back;
}

bool MessageIds::has_id(const MessageBlocks& messages, uint32_t low, ByteView id) {
  const Offset offset = offset_of(messages, low);
  if (offset < messages.first()) return false;
  Message message;
  return MessageBlocks::Cursor(messages, offset).next(message) && message.tag == id;
}

std::optional<Offset> MessageIds::find(const MessageBlocks& messages, uint32_t hash, ByteView id) const {
  const uint32_t* low = index_.find(hash, [&](uint32_t candidate) { return has_id(messages, candidate, id); });
  if (low == nullptr) return std::nullopt;
  return offset_of(messages, *low);
}

void MessageIds::add(const MessageBlocks& messages, uint32_t hash, Offset offset) {
  index_.insert(hash, static_cast<uint32_t>(offset.value()),
                [&](uint32_t candidate) { return lives(messages, candidate); });
}

void MessageIds::add_or_replace(const MessageBlocks& messages, uint32_t hash, ByteView id, Offset offset) {
  uint32_t* known = index_.find(hash, [&](uint32_t candidate) { return has_id(messages, candidate, id); });
  if (known == nullptr) return add(messages, hash, offset);
  *known = static_cast<uint32_t>(offset.value());
}

void MessageIds::shrink(const MessageBlocks& messages) {
  index_.shrink(messages.count(), [&](uint32_t candidate) { return lives(messages, candidate); });
}

const char* MessageIds::check(const MessageBlocks& messages) const {
  if (const char* broken = index_.check()) return broken;
  Message message;
  for (MessageBlocks::Cursor cursor(messages, messages.first()); cursor.next(message);) {
    const auto found = find(messages, hash(message.tag), message.tag);
    if (!found) return "a message is not found by its id";
    if (*found < message.offset) return "an id leads to an older message";
  }
  return nullptr;
}

}  // namespace millrace
