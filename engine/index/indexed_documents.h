// The documents of an index: each has a name (its key without the index's prefix), an id and a record. Name and record
// are one allocation, and a hash table maps a name to its id.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/bytes.h"
#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/slots.h"
#include "engine/index/index_ids.h"

namespace millrace {

class IndexedDocuments {
 public:
  // Names are hashed with this key, which clients must not know.
  explicit IndexedDocuments(const HashKey& key) : key_(key) {}

  // A copy with the same ids.
  IndexedDocuments clone() const;

  size_t size() const { return slots_.size(); }
  // Ids are below this.
  uint32_t limit() const { return slots_.limit(); }
  // REQUIRES: id is below limit()
  bool is_there(DocumentId id) const { return slots_[id].bytes != nullptr; }

  // none() if there is no such document.
  DocumentId find(ByteView name) const;
  // REQUIRES for all of these: the document exists. Valid until the document changes.
  ByteView name(DocumentId id) const;
  ByteView record(DocumentId id) const;

  // REQUIRES: no document has the name.
  DocumentId add(ByteView name, ByteView record);
  void set_record(DocumentId id, ByteView record);
  void remove(DocumentId id);

  size_t memory() const { return slots_.memory() + by_name_.memory() + bytes_; }
  // Frees a part, some hundred allocations at most; false once nothing is left. REQUIRES: afterwards only free_some()
  // and the destructor are called.
  bool free_some();

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  // size of the name as a varint, name, record
  struct Document {
    std::unique_ptr<char[]> bytes;
  };

  uint32_t hash(ByteView name) const { return static_cast<uint32_t>(keyed_hash(key_, name)); }
  static std::unique_ptr<char[]> joined(ByteView name, ByteView record);
  // The size of its name and record.
  size_t size_of(DocumentId id) const;
  // The size of its allocation.
  size_t bytes_of(DocumentId id) const;

  HashKey key_;
  Slots<Document, DocumentId> slots_;
  HashIndex<DocumentId> by_name_;
  size_t bytes_ = 0;  // of all allocations
};

}  // namespace millrace
