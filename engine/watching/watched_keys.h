// The keys that have watchers. A write to such a key notifies each of its watchers in O(1). The table does not depend
// on the value of a key, nor on whether the key exists.
//
//   name -> WatchedKey -> Watcher -> Watcher -> ...        one for each feed that watches the key
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/base/bytes.h"
#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"

namespace millrace {

class WatchedKey;

// Base class of objects that watch a key.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // The name of the key that it watches, and its database. REQUIRES: it watches a key
  ByteView key_name() const;
  int key_database() const;

 protected:
  // REQUIRES: it does not watch a key any more
  ~Watcher() = default;

 private:
  friend class WatchedKeys;

  // The key has new messages, or may have another value. Must not change the table.
  virtual void key_changed() = 0;

  WatchedKey* key_ = nullptr;
  Watcher* previous_ = nullptr;
  Watcher* next_ = nullptr;
};

class WatchedKeys {
 public:
  // Names are hashed with this key, which should be random.
  explicit WatchedKeys(const HashKey& hash_key) : hash_key_(hash_key) {}
  WatchedKeys(const WatchedKeys&) = delete;
  WatchedKeys& operator=(const WatchedKeys&) = delete;
  // REQUIRES: there are no watchers any more
  ~WatchedKeys() = default;

  bool empty() const { return index_.size() == 0; }
  size_t size() const { return index_.size(); }

  // O(1). REQUIRES: it watches no key
  void add(int database, ByteView name, Watcher& watcher);
  // O(1). REQUIRES: it watches a key
  void remove(Watcher& watcher);

  // The watcher of this key for which is_it(watcher), or null. O(n) with n watchers of the key.
  template <class IsIt>
  Watcher* find(int database, ByteView name, IsIt is_it) const;

  // The key has messages up to this mark, which increases with each message: watchers are notified if it has increased.
  // False if the key has no watchers.
  bool wrote(int database, ByteView name, uint64_t mark);
  // The key may have any value now, or be deleted. False if the key has no watchers.
  bool changed(int database, ByteView name);
  // The same for all keys of a database; -1: of all databases. O(n).
  void all_changed(int database);

  size_t memory() const { return sizeof(*this) + index_.memory() + key_bytes_; }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  uint32_t hash(int database, ByteView name) const;
  WatchedKey* find_key(int database, ByteView name) const;
  static Watcher* first_of(const WatchedKey& key);
  static Watcher* next_of(const Watcher& watcher) { return watcher.next_; }
  static void tell(WatchedKey& key);

  HashKey hash_key_;
  HashIndex<WatchedKey*> index_;
  size_t key_bytes_ = 0;
};

template <class IsIt>
Watcher* WatchedKeys::find(int database, ByteView name, IsIt is_it) const {
  const WatchedKey* key = find_key(database, name);
  if (key == nullptr) return nullptr;
  for (Watcher* watcher = first_of(*key); watcher != nullptr; watcher = next_of(*watcher)) {
    if (is_it(*watcher)) return watcher;
  }
  return nullptr;
}

}  // namespace millrace
