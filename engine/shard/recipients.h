// All recipients of a pool: by number, and by name.
#pragma once

#include <deque>

#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/shard/recipient.h"

namespace millrace {

class Recipients {
 public:
  // Strangers choose names: the key keeps them from choosing those that collide.
  explicit Recipients(const HashKey& key) : key_(key) {}

  size_t size() const { return all_.size(); }
  Recipient& operator[](RecipientId id) { return all_[id]; }
  const Recipient& operator[](RecipientId id) const { return all_[id]; }

  // kNobody32 if there is none.
  RecipientId find(ByteView name) const;
  // REQUIRES: there is none of that name; size() < kNobody32
  RecipientId add(ByteView name);

  uint64_t memory() const;
  const char* check() const;

 private:
  uint32_t hash(ByteView name) const { return static_cast<uint32_t>(keyed_hash(key_, name)); }

  HashKey key_;
  // Grows without moving what is there: no pause at the millionth.
  std::deque<Recipient> all_;
  HashIndex<RecipientId> by_name_;
};

}  // namespace millrace
