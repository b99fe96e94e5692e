// The documents that have a value of a UNIQUE field that another document already holds. Each value has a line; the
// first in line gets the value next. The lines are stored in two sorted sets, so that a line may contain all documents.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/byte_order.h"
#include "engine/base/bytes.h"
#include "engine/index/index_ids.h"
#include "engine/index/order_entry.h"

namespace millrace {

class UniqueLines {
 public:
  // The number of documents in all lines.
  uint64_t size() const { return by_arrival_.size(); }
  bool empty() const { return size() == 0; }
  UniqueLines clone() const;

  // Each O(log n). `key` is that of the value (index_keys.h).
  // REQUIRES: the document is not in this line
  void append(ByteView key, DocumentId id) { add(key, id, next_++); }
  void prepend(ByteView key, DocumentId id) { add(key, id, --first_); }
  // False if the document is not in this line.
  bool remove(ByteView key, DocumentId id);
  bool has(ByteView key, DocumentId id) const;
  // none() if there is no line for the value.
  DocumentId first(ByteView key) const;

  // Calls visit(key, document) for each, line by line, the first of a line first, until it returns false.
  template <class Visit>
  void each(Visit visit) const {
    ByteOrder::Walk walk(by_arrival_);
    for (walk.seek(""); walk.is_at_entry(); walk.next()) {
      const ByteView entry = walk.entry();
      if (!visit(entry.substr(0, entry.size() - kTailBytes), id_of_entry(entry))) return;
    }
  }

  size_t memory() const { return by_arrival_.memory() + by_document_.memory(); }
  // Frees a part; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some() { return by_arrival_.free_some() || by_document_.free_some(); }
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  static constexpr size_t kArrivalBytes = 8;
  static constexpr size_t kTailBytes = kArrivalBytes + 4;

  void add(ByteView key, DocumentId id, uint64_t arrival);

  ByteOrder by_arrival_;   // key, arrival, id
  ByteOrder by_document_;  // key, id, arrival
  // The next arrival numbers at the end and at the front.
  uint64_t next_ = uint64_t{1} << 63;
  uint64_t first_ = uint64_t{1} << 63;
};

}  // namespace millrace
