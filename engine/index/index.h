// An index: the documents whose keys begin with a prefix, in an order for each field and for each list of fields. It is
// derived from the documents alone: whoever changes one says what it holds now.
//
// Every order is a sorted set of entries, the key of a document in that order (index_keys.h) and its id.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/keyed_hash.h"
#include "engine/index/byte_order.h"
#include "engine/index/document_values.h"
#include "engine/index/index_ids.h"
#include "engine/index/index_schema.h"
#include "engine/index/indexed_documents.h"
#include "engine/index/recent_documents.h"

namespace millrace {

// What is to be done to an index, in slices, by whoever keeps it. Do not change: persisted.
enum class IndexWork : uint8_t {
  None,
  Build,   // documents that were there before it, or before a field: read all of them
  Verify,  // it was brought from elsewhere: compare it with the documents that are here
  Tidy,    // a field was dropped: read its documents, so that their records let go of its values
};

inline constexpr size_t kEntryIdBytes = 4;

// A document that is left out of a UNIQUE field, because another one has its value.
struct Conflict {
  DocumentId document;
  OrderId field;
  ByteView key;  // of the value
  DocumentId holder;
};

// Whether a document counts as written last when it is set.
enum class Noting : uint8_t { Never, IfOther, Always };

class Index {
 public:
  struct Order {
    OrderId id;
    ByteOrder entries;
    bool may_have_many = false;  // documents with several entries
  };

  // Hashes by this key, which clients must not know.
  Index(IndexSchema schema, const HashKey& key);

  const IndexSchema& schema() const { return schema_; }
  const IndexedDocuments& documents() const { return documents_; }
  // REQUIRES: the schema has it
  const Order& order(OrderId id) const;
  // Dates of expiry.
  const ByteOrder& expiries() const { return expiries_; }

  // --- documents, by their keys behind the prefix ---
  // The document holds these values now. True if it is new, or has other values than before.
  bool set(ByteView name, const DocumentValues& values, Noting noting = Noting::Never);
  // False if it was not there.
  bool remove(ByteView name);
  // True if the index says of it what `values` say.
  bool agrees(ByteView name, const DocumentValues& values) const;
  // It was written. Nothing if it is not there.
  void note_written(ByteView name);
  std::vector<DocumentId> recent(size_t most) const { return recent_.list(most); }

  // --- what is left out ---
  // Calls visit(document, skipped) for each, in the order of their ids, until it returns false.
  template <class Visit>
  void each_skipped(Visit visit) const {
    for (const auto& [id, values] : skipped_) {
      for (const SkippedValue& value : values) {
        if (!visit(id, value)) return;
      }
    }
  }
  uint64_t skipped() const { return skipped_.size(); }
  template <class Visit>
  void each_conflict(Visit visit) const {
    for (const auto& [at, line] : lines_) {
      for (const DocumentId id : line) {
        if (!visit(Conflict{id, at.first, at.second, holder_of(at.first, at.second)})) return;
      }
    }
  }
  uint64_t conflicts() const { return conflicts_; }
  // True if the document waits for this value of a UNIQUE field.
  bool is_in_line(OrderId field, ByteView key, DocumentId id) const;
  // Who has the value of a UNIQUE field; none() if nobody.
  DocumentId holder_of(OrderId field, ByteView key) const;

  // --- the schema; failures as IndexSchema says, and nothing has changed then ---
  Result<void> add_field(IndexField field);
  Result<void> add_order(CompositeOrder order);
  // Each returns the order's entries, which the caller frees at leisure.
  Result<ByteOrder> drop_field(ByteView name);
  Result<ByteOrder> drop_order(ByteView name);
  // Grows whenever the schema changes.
  uint64_t schema_version() const { return schema_version_; }

  IndexWork work() const { return work_; }
  // True if it says of all documents what they hold.
  bool is_ready() const { return work_ == IndexWork::None || work_ == IndexWork::Tidy; }
  void set_work(IndexWork work) { work_ = work; }

  // --- for the codec ---
  // REQUIRES: it has no schema yet
  void restore_schema(IndexSchema schema);
  // REQUIRES: it is there
  void restore_skipped(DocumentId id, const SkippedValue& value);
  // Puts a document first in the line for a value. REQUIRES: it waits for it, or has it
  void make_holder(OrderId field, ByteView key, DocumentId id);

  // --- upkeep ---
  size_t memory() const;
  bool free_some();
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  using LineKey = std::pair<OrderId, std::string>;

  Order& own_order(OrderId id) { return const_cast<Order&>(order(id)); }
  void change(DocumentId id, const DocumentValues& old, const DocumentValues& now);
  void change_expiry(DocumentId id, const DocumentValues& old, const DocumentValues& now);
  void change_composites(DocumentId id, const DocumentValues& old, const DocumentValues& now);
  void set_skipped(DocumentId id, const DocumentValues& now);
  void insert_value(const DocumentValue& value, DocumentId id);
  void erase_value(const DocumentValue& value, DocumentId id);
  bool leave_line(const DocumentValue& value, DocumentId id);

  IndexSchema schema_;
  IndexedDocuments documents_;
  std::vector<Order> orders_;  // of fields and of lists of fields
  ByteOrder expiries_;
  RecentDocuments recent_;
  std::map<DocumentId, std::vector<SkippedValue>> skipped_;
  // Documents that wait for a value of a UNIQUE field, the first to get it first.
  std::map<LineKey, std::vector<DocumentId>> lines_;
  uint64_t conflicts_ = 0;  // how many are in all lines
  uint64_t schema_version_ = 1;
  IndexWork work_ = IndexWork::None;
  // For change(), so that a write allocates nothing but what it stores.
  DocumentValues old_;
  std::string record_;
  std::string entry_;
};

// An entry of an order.
void make_entry(std::string& entry, ByteView key, DocumentId id);
ByteView key_of_entry(ByteView entry);
DocumentId id_of_entry(ByteView entry);

// The keys of a document in a composite order, sorted. Several if a field has several values; none if a field has
// none, or if they would be more than kMaxValuesOfField.
std::vector<std::string> composite_keys(const CompositeOrder& order, const DocumentValues& values);

}  // namespace millrace
