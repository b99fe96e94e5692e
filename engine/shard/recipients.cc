#include "engine/shard/recipients.h"

namespace millrace {

RecipientId Recipients::find(ByteView name) const {
  const RecipientId* found = by_name_.find(hash(name), [&](RecipientId id) { return all_[id].name() == name; });
  return found == nullptr ? kNobody32 : *found;
}

RecipientId Recipients::add(ByteView name) {
  const auto id = static_cast<RecipientId>(all_.size());
  all_.emplace_back(name);
  by_name_.insert(hash(name), id);
  return id;
}

uint64_t Recipients::memory() const {
  uint64_t bytes = by_name_.memory() + all_.size() * sizeof(Recipient);
  for (const Recipient& recipient : all_) bytes += recipient.memory();
  return bytes;
}

const char* Recipients::check() const {
  if (const char* broken = by_name_.check()) return broken;
  if (by_name_.size() != all_.size()) return "a name without a recipient, or the reverse";
  for (RecipientId id = 0; id < all_.size(); ++id) {
    if (find(all_[id].name()) != id) return "a recipient is not found by its name";
  }
  return nullptr;
}

}  // namespace millrace
