// An index: the documents whose keys begin with a prefix, in an order for each field and for each list of fields. It is
// derived from the documents alone: the caller that changes one says what it holds now.
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

// What is to be done to an index, in slices, by its owner. Do not change: persisted.
enum class IndexWork : uint8_t {
  None,
  Build,   // documents that were there before it, or before a field: read all of them
  Verify,  // it was brought from elsewhere: compare it with the documents that are here
  Tidy,    // a field was dropped: read its documents, so that their records let go of its values
};

// A document that is left out of a UNIQUE field, because another one has its value.
struct Conflict {
  DocumentId document;
  OrderId field;
  ByteView key;  // of the value; valid during the visit
  DocumentId holder;
};

// Whether a document counts as written last when it is set.
enum class Noting : uint8_t { Never, IfOther, Always };

class Index {
 public:
  struct Order {
    OrderId id;
    ByteOrder entries{};
    bool may_have_many = false;  // documents with several entries
    bool is_complete = true;     // false: added later, and documents that were there before are yet to be read
    uint64_t left_out = 0;       // documents that would have too many entries
    UniqueLines lines{};         // of a UNIQUE field
  };

  // Hashes by this key, which clients must not know.
  Index(IndexSchema schema, const HashKey& key);
  // The same documents in the same orders, without a number: it is another index. O(n), most of it allocations.
  Index clone() const;

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
  // Calls visit(document, skipped) for each, in the order of their ids, until it returns false. `skipped` may name an
  // order of several fields.
  template <class Visit>
  void each_skipped(Visit visit) const {
    skipped_.each([&](DocumentId id, const SkippedValue& value) { return !is_known(value) || visit(id, value); });
  }
  // How many documents have any.
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

  // --- the schema; failures as IndexSchema says, and nothing has changed then ---
  Result<void> add_field(IndexField field);
  Result<void> add_order(CompositeOrder order);
  // Each returns the order, which the caller frees at leisure. Records of documents, and what was skipped in them, keep
  // what they say of the field until they are set again.
  Result<Order> drop_field(ByteView name);
  Result<Order> drop_order(ByteView name);
  // A number that no other index has, on this server or another one, so that a cursor is known to be of this one: ids
  // of documents, which cursors have, differ from server to server. 0 until it is set.
  uint32_t number() const { return number_; }
  void set_number(uint32_t number) { number_ = number; }
  // Grows whenever the schema changes.
  uint64_t schema_version() const { return schema_version_; }

  IndexWork work() const { return work_; }
  // True if it says of all documents what they hold.
  bool is_ready() const { return work_ == IndexWork::None || work_ == IndexWork::Tidy; }
  void set_work(IndexWork work);

  // --- for the codec ---
  // REQUIRES: it has no schema yet
  void restore_schema(IndexSchema schema);
  // REQUIRES: it is there
  void restore_skipped(DocumentId id, const SkippedValue& value);
  // Puts a document first in the line for a value. REQUIRES: it waits for it, or has it
  void make_holder(OrderId field, ByteView key, DocumentId id);

  // --- upkeep ---
  size_t memory() const;
  // How many allocations it has, about.
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
  // What a document with these values is left out of.
  std::vector<SkippedValue> skipped_in(const DocumentValues& values) const;
  void set_skipped(DocumentId id, std::span<const SkippedValue> now);
  void insert_value(const DocumentValue& value, DocumentId id);
  void erase_value(const DocumentValue& value, DocumentId id);

  IndexSchema schema_;
  IndexedDocuments documents_;
  std::vector<Order> orders_;  // of fields and of lists of fields
  ByteOrder expiries_;
  RecentDocuments recent_;
  SkippedValues skipped_;
  uint64_t schema_version_ = 1;
  uint32_t number_ = 0;
  IndexWork work_ = IndexWork::None;
  // For change(), so that a write allocates nothing but what it stores.
  DocumentValues old_;
  std::string record_;
  std::string entry_;
};

// Frees a part of an order; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are
// called.
bool free_some(Index::Order& order);

}  // namespace millrace
