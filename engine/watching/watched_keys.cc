#include "engine/watching/watched_keys.h"

#include <cstring>
#include <new>

namespace millrace {

// One allocation, followed by the name, because there may be a million.
class WatchedKey {
 public:
  static WatchedKey* make(int database, ByteView name) {
    return new (::operator new(bytes(name.size()))) WatchedKey(database, name);
  }
  static void free(WatchedKey* key) { ::operator delete(key); }
  static size_t bytes(size_t name_size) { return sizeof(WatchedKey) + name_size; }

  ByteView name() const { return {reinterpret_cast<const char*>(this + 1), name_size_}; }
  int database() const { return database_; }

  Watcher* first = nullptr;
  uint64_t mark = 0;  // mark of the last write that its watchers know

 private:
  WatchedKey(int database, ByteView name) : database_(database), name_size_(static_cast<uint32_t>(name.size())) {
    std::memcpy(this + 1, name.data(), name.size());
  }

  int database_;
  uint32_t name_size_;
};

ByteView Watcher::key_name() const { return key_->name(); }
int Watcher::key_database() const { return key_->database(); }

uint32_t WatchedKeys::hash(int database, ByteView name) const {
  return static_cast<uint32_t>(keyed_hash(hash_key_, name)) + static_cast<uint32_t>(database) * 0x9e3779b9U;
}

Watcher* WatchedKeys::first_of(const WatchedKey& key) { return key.first; }

WatchedKey* WatchedKeys::find_key(int database, ByteView name) const {
  if (empty()) return nullptr;
  WatchedKey* const* found = index_.find(
      hash(database, name), [&](const WatchedKey* key) { return key->database() == database && key->name() == name; });
  return found == nullptr ? nullptr : *found;
}

void WatchedKeys::add(int database, ByteView name, Watcher& watcher) {
  WatchedKey* key = find_key(database, name);
  if (key == nullptr) {
    key = WatchedKey::make(database, name);
    index_.insert(hash(database, name), key);
    key_bytes_ += WatchedKey::bytes(name.size());
  }
  watcher.key_ = key;
  watcher.next_ = key->first;
  if (key->first != nullptr) key->first->previous_ = &watcher;
  key->first = &watcher;
}

void WatchedKeys::remove(Watcher& watcher) {
  WatchedKey* key = watcher.key_;
  (watcher.previous_ == nullptr ? key->first : watcher.previous_->next_) = watcher.next_;
  if (watcher.next_ != nullptr) watcher.next_->previous_ = watcher.previous_;
  watcher.key_ = nullptr;
  watcher.previous_ = watcher.next_ = nullptr;
  if (key->first != nullptr) return;
  index_.erase(hash(key->database(), key->name()), key);
  index_.shrink(index_.size(), [](const WatchedKey*) { return true; });
  key_bytes_ -= WatchedKey::bytes(key->name().size());
  WatchedKey::free(key);
}

void WatchedKeys::tell(WatchedKey& key) {
  for (Watcher* watcher = key.first; watcher != nullptr; watcher = watcher->next_) watcher->key_changed();
}

bool WatchedKeys::wrote(int database, ByteView name, uint64_t mark) {
  WatchedKey* key = find_key(database, name);
  if (key == nullptr) return false;
  if (mark <= key->mark) return true;
  key->mark = mark;
  tell(*key);
  return true;
}

bool WatchedKeys::changed(int database, ByteView name) {
  WatchedKey* key = find_key(database, name);
  if (key == nullptr) return false;
  key->mark = 0;
  tell(*key);
  return true;
}

void WatchedKeys::all_changed(int database) {
  index_.each([&](WatchedKey* key) {
    if (database != -1 && key->database() != database) return;
    key->mark = 0;
    tell(*key);
  });
}

const char* WatchedKeys::check() const {
  if (const char* broken = index_.check()) return broken;
  const char* broken = nullptr;
  size_t bytes = 0;
  index_.each([&](const WatchedKey* key) {
    bytes += WatchedKey::bytes(key->name().size());
    if (key->first == nullptr) broken = "a key without watchers is kept";
    if (find_key(key->database(), key->name()) != key) broken = "a key is not found by its name";
    const Watcher* previous = nullptr;
    for (const Watcher* watcher = key->first; watcher != nullptr; watcher = watcher->next_) {
      if (watcher->key_ != key || watcher->previous_ != previous) broken = "a list of watchers is broken";
      previous = watcher;
    }
  });
  if (bytes != key_bytes_) return "the bytes of keys are counted wrongly";
  return broken;
}

}  // namespace millrace
