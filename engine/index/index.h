// An index of the documents whose keys begin with a prefix, with an order for each field and for each list of fields.
// It is derived from the documents alone: a caller that changes a document passes its new values.
//
// Every order is a sorted set of entries (order_entry.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/byte_order.h"
#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/keyed_hash.h"
#include "engine/index/document_values.h"
#include "engine/index/index_ids.h"
#include "engine/index/index_schema.h"
#include "engine/index/indexed_documents.h"
#include "engine/index/order_entry.h"
#include "engine/index/recent_documents.h"
#include "engine/index/skipped_values.h"
#include "engine/index/unique_lines.h"

namespace millrace {

// The entry of a document in an index, compared with the document.
enum class DocumentState : uint8_t {
  Agrees,
  Missing,     // the index does not know it
  Stale,       // the index knows it, and it is none any more
  Wrong,       // the index has other values of it
  NoDocument,  // neither knows of it, or it has expired and is not deleted yet: no query finds it
};

// Background work that the owner of an index does in slices. Do not change: persisted.
enum class IndexWork : uint8_t {
  None,
  Build,   // read all documents: some existed before the index or before a field of it
  Verify,  // the index was restored: compare it with the documents of this server
  Tidy,    // a field was dropped: read the documents again, to remove its values from their records
};

// A document that is left out of a UNIQUE field, because another one has its value.
struct Conflict {
  DocumentId document;
  OrderId field;
  ByteView key;  // of the value; valid during the visit
  DocumentId holder;
};

// Whether set() counts the document as the last written one.
enum class Noting : uint8_t { Never, IfOther, Always };

class Index {
 public:
  struct Order {
    OrderId id;
    ByteOrder entries{};
    bool may_have_many = false;  // documents with several entries
    bool is_complete = true;     // false: added later, and older documents have not been read yet
    uint64_t left_out = 0;       // documents left out because they would have too many entries
    UniqueLines lines{};         // of a UNIQUE field
  };

  // Hashes with this key, which clients must not know.
  Index(IndexSchema schema, const HashKey& key);
  // A copy with the same documents and orders, but without a number, since it is another index. O(n), most of it
  // allocations.
  Index clone() const;

  const IndexSchema& schema() const { return schema_; }
  const IndexedDocuments& documents() const { return documents_; }
  // REQUIRES: the schema has it
  const Order& order(OrderId id) const;
  // Dates of expiry.
  const ByteOrder& expiries() const { return expiries_; }

  // --- documents, by their keys without the prefix ---
  // Sets the values of a document. True if it is new, or had other values before.
  bool set(ByteView name, const DocumentValues& values, Noting noting = Noting::Never);
  // False if there was no such document.
  bool remove(ByteView name);
  // True if the index has exactly these values for the document.
  bool agrees(ByteView name, const DocumentValues& values) const;
  // `values` are null if there is no such document.
  DocumentState compare(ByteView name, const DocumentValues* values, UnixMs now) const;
  // Counts the document as the last written one. Does nothing if it is not in the index.
  void note_written(ByteView name);
  std::vector<DocumentId> recent(size_t most) const { return recent_.list(most); }

  // --- what is left out ---
  // Calls visit(document, skipped) for each, in the order of their ids, until it returns false. `skipped` may name an
  // order of several fields.
  template <class Visit>
  void each_skipped(Visit visit) const {
    skipped_.each([&](DocumentId id, const SkippedValue& value) { return !is_known(value) || visit(id, value); });
  }
  // How many documents have skipped values.
  uint64_t skipped() const { return skipped_.documents(); }
  template <class Visit>
  void each_conflict(Visit visit) const {
    bool goes_on = true;
    for (const Order& order : orders_) {
      order.lines.each([&](ByteView key, DocumentId id) {
        goes_on = visit(Conflict{id, order.id, key, holder_of(order.id, key)});
        return goes_on;
      });
      if (!goes_on) return;
    }
  }
  uint64_t conflicts() const;
  // True if the document waits for this value of a UNIQUE field.
  bool is_in_line(OrderId field, ByteView key, DocumentId id) const;
  // The document with this value of a UNIQUE field; none() if there is none.
  DocumentId holder_of(OrderId field, ByteView key) const;

  // --- the schema; failures as in IndexSchema, without any change ---
  Result<void> add_field(IndexField field);
  Result<void> add_order(CompositeOrder order);
  // Each returns the order, which the caller frees in parts. Records of documents and their skipped values keep the
  // field until the document is set again.
  Result<Order> drop_field(ByteView name);
  Result<Order> drop_order(ByteView name);
  // A number that is unique to this index on all servers, so that a cursor of another index is recognised: cursors
  // contain ids of documents, which differ between servers. 0 until it is set.
  uint32_t number() const { return number_; }
  void set_number(uint32_t number) { number_ = number; }
  // Grows whenever the schema changes.
  uint64_t schema_version() const { return schema_version_; }

  IndexWork work() const { return work_; }
  // True if the index is complete and correct for all documents.
  bool is_ready() const { return work_ == IndexWork::None || work_ == IndexWork::Tidy; }
  void set_work(IndexWork work);

  // --- for the codec ---
  // REQUIRES: the index has no schema yet
  void restore_schema(IndexSchema schema);
  // REQUIRES: the document exists
  void restore_skipped(DocumentId id, const SkippedValue& value);
  // Puts a document first in the line for a value. REQUIRES: the document has the value or waits for it
  void make_holder(OrderId field, ByteView key, DocumentId id);

  // --- memory ---
  size_t memory() const;
  // The approximate number of allocations.
  size_t parts() const;
  // Frees a part; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some();
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  // For clone(): without orders.
  Index(IndexSchema schema, IndexedDocuments documents);

  Order& own_order(OrderId id) { return const_cast<Order&>(order(id)); }
  void change(DocumentId id, const DocumentValues& old, const DocumentValues& now);
  void change_expiry(DocumentId id, const DocumentValues& old, const DocumentValues& now);
  void change_composites(DocumentId id, const DocumentValues& old, const DocumentValues& now);
  bool is_known(const SkippedValue& value) const;
  // The orders that a document with these values is left out of.
  std::vector<SkippedValue> skipped_in(const DocumentValues& values) const;
  void set_skipped(DocumentId id, std::span<const SkippedValue> now);
  void insert_value(const DocumentValue& value, DocumentId id);
  void erase_value(const DocumentValue& value, DocumentId id);

  IndexSchema schema_;
  IndexedDocuments documents_;
  std::vector<Order> orders_;  // orders of fields and of lists of fields
  ByteOrder expiries_;
  RecentDocuments recent_;
  SkippedValues skipped_;
  uint64_t schema_version_ = 1;
  uint32_t number_ = 0;
  IndexWork work_ = IndexWork::None;
  // Working memory of change(), so that a write allocates only what it stores.
  DocumentValues old_;
  std::string record_;
  std::string entry_;
};

// Frees a part of an order; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are
// called.
bool free_some(Index::Order& order);

}  // namespace millrace
