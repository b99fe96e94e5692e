#include "engine/shard/recipients.h"

namespace millrace {

RecipientId Recipients::find(ByteView name) const {
  if (name.empty()) return RecipientId::none();
  return by_name_.find(hash(name), [&](RecipientId id) {
    const Recipient& recipient = all_[id];
    // The fields for a message and the end of the name may be in two cache lines: both are prefetched at once.
    __builtin_prefetch(&recipient.owner);
    __builtin_prefetch(reinterpret_cast<const char*>(&recipient + 1) + name.size() - 1);
    return recipient.name() == name;
  });
}

bool Recipients::contains(RecipientId id) const {
  // If the id points into the middle of a recipient, the bytes read as its name lead to another recipient or to none.
  return id.is_some() && find(all_.name_if_any(id)) == id;
}

RecipientId Recipients::add(ByteView name) {
  const RecipientId id = all_.add(name);
  by_name_.add(hash(name), id, [&](RecipientId other) { return hash(all_[other].name()); });
  return id;
}

void Recipients::remove(RecipientId id) {
  by_name_.remove(hash(all_[id].name()), id);
  all_.remove(id);
  if (size() != 0) return;
  all_ = RecipientChunks();
  by_name_ = RecipientIndex();
}

uint64_t Recipients::memory() const {
  uint64_t bytes = all_.memory() + by_name_.memory();
  each([&](const Recipient& recipient) { bytes += recipient.memory(); });
  return bytes;
}

const char* Recipients::check() const {
  const auto hash_of = [&](RecipientId id) { return hash(all_[id].name()); };
  if (const char* broken = by_name_.check(hash_of)) return broken;
  size_t found = 0;
  bool is_found = true;
  all_.each([&](RecipientId id) {
    is_found &= find(all_[id].name()) == id;
    ++found;
  });
  if (!is_found) return "a recipient is not found by its name";
  return found == size() ? nullptr : "a name without a recipient, or the reverse";
}

}  // namespace millrace
