// All recipients of a pool: by number, and by name.
#pragma once

#include "engine/base/keyed_hash.h"
#include "engine/shard/recipient_chunks.h"
#include "engine/shard/recipient_index.h"

namespace millrace {

class Recipients {
 public:
  // Clients choose names: the secret key prevents them from choosing names that collide.
  explicit Recipients(const HashKey& key) : key_(key) {}

  const HashKey& key() const { return key_; }

  size_t size() const { return by_name_.size(); }
  // References stay valid until the recipient is removed.
  Recipient& operator[](RecipientId id) { return all_[id]; }
  const Recipient& operator[](RecipientId id) const { return all_[id]; }

  // RecipientId::none() if there is no recipient with this name. No recipient has an empty name.
  RecipientId find(ByteView name) const;
  // Whether an untrusted number is the id of a recipient.
  bool contains(RecipientId id) const;
  // Calls visit(recipient) for each, in the order in which they were added.
  template <class Visit>
  void each(Visit visit) const {
    all_.each([&](RecipientId id) { visit(all_[id]); });
  }

  // The limit is 32 GiB: 400 million recipients with names of 36 bytes.
  bool is_full() const { return all_.is_full(); }
  // Whether this many more fit, with names of this many bytes together.
  bool has_room_for(uint64_t recipients, uint64_t name_bytes) const {
    return all_.has_room_for(recipients, name_bytes);
  }
  // REQUIRES: there is none of that name; !is_full()
  RecipientId add(ByteView name);
  // Memory is freed only when the last recipient is removed; until then, places are reused. REQUIRES: contains(id)
  void remove(RecipientId id);
  // As RecipientChunks::walk(). Cost: O(places looked at).
  template <class Visit>
  uint64_t walk(uint64_t from, uint64_t most, Visit visit) const {
    return all_.walk(from, most, visit);
  }
  uint64_t place_from(uint64_t number) const { return all_.place_from(number); }

  uint64_t memory() const;
  const char* check() const;
  // The same for one recipient. REQUIRES: contains(id)
  bool is_found(RecipientId id) const { return find(all_[id].name()) == id; }

 private:
  uint64_t hash(ByteView name) const { return table_hash(key_, name); }

  HashKey key_;
  RecipientChunks all_;
  RecipientIndex by_name_;
};

}  // namespace millrace
