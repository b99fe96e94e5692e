// The names in a graph, each stored once: from a name to its number and back. A name is stored as long as facts use it.
//
// Numbers are assigned in ascending order, and a freed number is not reused before all others were used. So the order
// of facts, which is that of the numbers of their names, does not change while they exist. Replicas add the same names
// in the same order and have the same numbers. The next number is saved with the graph.
//
//   by_text_     hash of a name  -> Name
//   pages_       number / 30     -> Page of 30 names by number; a page without names is freed
#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/bytes.h"
#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/strong_id.h"

namespace millrace {

using FactName = StrongId<struct FactNameName>;

// The longest name in a fact.
inline constexpr size_t kMaxFactName = 4096;

class FactNames {
 public:
  // Clients choose names: the secret key prevents them from choosing names that collide.
  explicit FactNames(const HashKey& key) : key_(key) {}
  FactNames(FactNames&&) noexcept = default;
  FactNames& operator=(FactNames&&) = delete;
  ~FactNames();

  size_t size() const { return by_text_.size(); }
  // The bytes of all names.
  uint64_t text_bytes() const { return text_bytes_; }

  // FactName::none() if no fact has this name.
  FactName find(ByteView text) const;
  bool contains(FactName id) const { return name_of(id) != nullptr; }
  // REQUIRES: contains(id)
  ByteView text(FactName id) const;

  // A fact uses the name once more: the name is added if it is missing.
  FactName use(ByteView text);
  // REQUIRES: contains(id)
  void use(FactName id);
  // A fact no longer uses the name: the last use frees it. REQUIRES: contains(id)
  void drop(FactName id);

  // Adds a name with a number that another graph assigned, used once. REQUIRES: neither is in use; id is not none().
  void restore(FactName id, ByteView text);
  // The number that the next new name gets, unless that number is in use: see use().
  FactName next() const { return next_; }
  // REQUIRES: next is not none()
  void set_next(FactName next) { next_ = next; }

  // Frees some names; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some();

  size_t memory() const { return bytes_ + by_text_.memory() + pages_.memory(); }

  // Proves the invariants; for tests. uses(id) is how often facts use a name. Returns what is broken, or nullptr.
  const char* check(const std::function<uint64_t(FactName)>& uses) const;

 private:
  struct Name;
  struct Page;

  static uint32_t page_hash(uint32_t number);
  uint32_t hash(ByteView text) const { return static_cast<uint32_t>(keyed_hash(key_, text)); }
  Page* page_of(FactName id) const;
  Name* name_of(FactName id) const;
  Name* find_name(uint32_t hash, ByteView text) const;
  FactName take_next();
  void add(FactName id, ByteView text, uint32_t hash);
  void free_name(Name* name);

  HashKey key_;
  HashIndex<Name*> by_text_;
  HashIndex<Page*> pages_;
  Page* last_page_ = nullptr;  // the page that was used last; null: none
  FactName next_{0};
  uint64_t text_bytes_ = 0;
  size_t bytes_ = 0;  // of names and pages
};

}  // namespace millrace
