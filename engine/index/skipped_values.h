// What is left out of an index, by document: values that do not fit their field, whole documents that are not JSON, and
// documents with more keys than an order of several fields accepts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/byte_order.h"
#include "engine/base/bytes.h"
#include "engine/index/document_values.h"
#include "engine/index/index_ids.h"

namespace millrace {

class SkippedValues {
 public:
  bool empty() const { return entries_.size() == 0; }
  SkippedValues clone() const {
    SkippedValues copy;
    copy.entries_ = entries_.clone();
    copy.documents_ = documents_;
    return copy;
  }
  // How many documents have skipped values.
  uint64_t documents() const { return documents_; }

  // Sorted, as in DocumentValues.
  std::vector<SkippedValue> of(DocumentId id) const;
  // Replaces the skipped values of a document. REQUIRES: sorted, without duplicates
  void set(DocumentId id, std::span<const SkippedValue> values);

  // Calls visit(document, value) for each, in the order of the ids, until it returns false.
  template <class Visit>
  void each(Visit visit) const {
    ByteOrder::Walk walk(entries_);
    for (walk.seek(""); walk.is_at_entry(); walk.next()) {
      if (!visit(document_of(walk.entry()), value_of(walk.entry()))) return;
    }
  }

  size_t memory() const { return entries_.memory(); }
  // Frees a part; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some() { return entries_.free_some(); }
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  static DocumentId document_of(ByteView entry);
  static SkippedValue value_of(ByteView entry);

  ByteOrder entries_;  // document, field, reason: 4, 4 and 1 bytes
  uint64_t documents_ = 0;
};

}  // namespace millrace
