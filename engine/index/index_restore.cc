// Restores an index from untrusted parts.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/base/limits.h"
#include "engine/index/document_record.h"
#include "engine/index/index_keys.h"
#include "engine/index/index_part_flags.h"
#include "engine/index/index_parts.h"

namespace millrace {

namespace {

ByteView read_bytes(Decoder& in) {
  const uint64_t size = in.number();
  return in.bytes(size);
}

Result<IndexField> read_field(Decoder& in) {
  IndexField field;
  const uint64_t id = in.number();
  const uint64_t type = in.number();
  const uint64_t flags = in.number();
  field.name = read_bytes(in);
  field.separator = read_bytes(in);
  if (!in.ok() || id == 0 || id >= UINT32_MAX || type > 2 || flags > (kNoCaseFieldFlag | kUniqueFieldFlag)) {
    return corrupt("an index with an impossible field");
  }
  field.id = OrderId(static_cast<uint32_t>(id));
  field.type = static_cast<FieldType>(type);
  field.ignores_case = (flags & kNoCaseFieldFlag) != 0;
  field.is_unique = (flags & kUniqueFieldFlag) != 0;
  return field;
}

Result<CompositeOrder> read_order(Decoder& in, const IndexSchema& schema) {
  CompositeOrder order;
  const uint64_t id = in.number();
  order.name = read_bytes(in);
  const uint64_t fields = in.number();
  if (!in.ok() || id == 0 || id >= UINT32_MAX || fields > IndexSchema::kMostOrderFields) {
    return corrupt("an index with an impossible order");
  }
  order.id = OrderId(static_cast<uint32_t>(id));
  for (uint64_t i = 0; i < fields; ++i) {
    const uint64_t field_id = in.number();
    const IndexField* field =
        field_id < UINT32_MAX ? schema.find_field(OrderId(static_cast<uint32_t>(field_id))) : nullptr;
    if (field == nullptr) return corrupt("an order of a field that is not there");
    order.fields.push_back(field->name);
  }
  return order;
}

// The schema assigns ids in the order of adding; a saved schema has gaps where a field or order was dropped.
template <class Add>
Result<void> add_with_id(IndexSchema& schema, OrderId id, Add add) {
  if (schema.find_field(id) != nullptr || schema.find_order(id) != nullptr) return corrupt("an id that is used twice");
  schema.set_next_id(id.value());
  const auto added = add();
  if (!added) return corrupt("an index with a schema that cannot be");
  return {};
}

Result<void> restore_schema(Index& index, ByteView bytes) {
  if (index.documents().size() != 0 || !index.schema().fields().empty()) return corrupt("a second schema");
  Decoder in(bytes);
  if (in.number() != kIndexVersion) return corrupt("an index of a version this module does not know");
  const uint64_t flags = in.number();
  const uint64_t work = in.number();
  const uint64_t next_id = in.number();
  const ByteView prefix = read_bytes(in);
  const uint64_t fields = in.number();
  if (!in.ok() || flags > kJsonIndexFlag || work > 3 || next_id == 0 || next_id >= UINT32_MAX ||
      prefix.size() > kMaxNameBytes || fields == 0 || fields > IndexSchema::kMostFields) {
    return corrupt("an index with an impossible head");
  }
  IndexSchema schema(std::string(prefix), flags == kJsonIndexFlag);
  uint64_t highest = 0;
  for (uint64_t i = 0; i < fields; ++i) {
    auto field = read_field(in);
    if (!field) return std::unexpected(field.error());
    highest = std::max<uint64_t>(highest, field->id.value());
    const auto added = add_with_id(schema, field->id, [&] { return schema.add_field(*field); });
    if (!added) return added;
  }
  const uint64_t orders = in.number();
  if (!in.ok() || orders > IndexSchema::kMostOrders) return corrupt("an index with too many orders");
  for (uint64_t i = 0; i < orders; ++i) {
    auto order = read_order(in, schema);
    if (!order) return std::unexpected(order.error());
    highest = std::max<uint64_t>(highest, order->id.value());
    const auto added = add_with_id(schema, order->id, [&] { return schema.add_order(*order); });
    if (!added) return added;
  }
  if (!in.finished() || highest >= next_id) return corrupt("an index head of the wrong length");
  schema.set_next_id(static_cast<uint32_t>(next_id));
  index.restore_schema(std::move(schema));
  index.set_work(static_cast<IndexWork>(work));
  return {};
}

// True if every value is of the type of its field, and they are in order.
bool is_good_record(const IndexSchema& schema, ByteView record) {
  DocumentValues values;
  read_record(schema, record, values);
  if (std::ranges::adjacent_find(values.values, std::ranges::greater_equal()) != values.values.end()) return false;
  std::string again;
  append_record(again, schema, values);
  return again == record;
}

struct SavedDocument {
  ByteView name;
  ByteView record;
};

Result<void> restore_documents(Index& index, ByteView bytes) {
  Decoder in(bytes);
  std::vector<SavedDocument> documents;
  while (!in.finished()) {
    SavedDocument& document = documents.emplace_back();
    document.name = read_bytes(in);
    if (!in.ok()) return corrupt("documents of the wrong length");
    const ByteView left = Decoder(in).rest();
    const size_t size = record_size(left);
    if (size == 0) return corrupt("a document with an impossible record");
    document.record = in.bytes(size);
    if (!is_typed_record(index.schema(), document.record) || !is_good_record(index.schema(), document.record)) {
      return corrupt("a document whose values are not of its fields");
    }
  }
  DocumentValues values;
  for (const SavedDocument& document : documents) {
    read_record(index.schema(), document.record, values);
    index.set(document.name, values);
  }
  return {};
}

// True if it is the complete key of one value: lines rely on keys of a field not being prefixes of each other.
bool is_whole_key(const IndexField& field, ByteView key) {
  if (field.type != FieldType::Text) return key.size() == kNumberKeyBytes;
  return !key.empty() && text_key_size(key) == key.size();
}

struct SavedPlace {
  OrderId field;
  std::string key;
  DocumentId id;
};

Result<void> restore_lines(Index& index, ByteView bytes) {
  Decoder in(bytes);
  std::vector<SavedPlace> places;
  while (!in.finished()) {
    const uint64_t field = in.number();
    const ByteView key = read_bytes(in);
    const DocumentId id = index.documents().find(read_bytes(in));
    if (!in.ok() || field >= UINT32_MAX) return corrupt("lines of the wrong length");
    const auto order = OrderId(static_cast<uint32_t>(field));
    const IndexField* known = index.schema().find_field(order);
    if (known == nullptr || !known->is_unique || id.is_none()) return corrupt("a line for what is not there");
    if (!is_whole_key(*known, key)) return corrupt("a line for what is no value");
    if (index.holder_of(order, key) != id && !index.is_in_line(order, key, id)) {
      return corrupt("a document in a line that does not have the value");
    }
    places.push_back({order, std::string(key), id});
  }
  for (const SavedPlace& place : places) index.make_holder(place.field, place.key, place.id);
  return {};
}

Result<void> restore_skipped(Index& index, ByteView bytes) {
  Decoder in(bytes);
  std::vector<std::pair<DocumentId, SkippedValue>> skipped;
  while (!in.finished()) {
    const DocumentId id = index.documents().find(read_bytes(in));
    const uint64_t field = in.number();
    const uint64_t reason = in.number();
    const OrderId order(static_cast<uint32_t>(std::min<uint64_t>(field, UINT32_MAX)));
    const bool is_known = order == kExpiryOrder || index.schema().find_field(order) != nullptr;
    if (!in.ok() || id.is_none() || !is_known || reason >= kSkipReasons) {
      return corrupt("skipped values that cannot be");
    }
    skipped.emplace_back(id, SkippedValue{order, static_cast<SkipReason>(static_cast<uint8_t>(reason))});
  }
  for (const auto& [id, value] : skipped) index.restore_skipped(id, value);
  return {};
}

Result<void> restore_recent(Index& index, ByteView bytes) {
  Decoder in(bytes);
  std::vector<ByteView> names;
  while (!in.finished()) {
    names.push_back(read_bytes(in));
    if (!in.ok()) return corrupt("recent documents of the wrong length");
  }
  for (const ByteView name : names) index.note_written(name);
  return {};
}

}  // namespace

Result<void> restore_part(Index& index, IndexPart part, ByteView bytes) {
  if (part != IndexPart::Schema && index.schema().fields().empty()) return corrupt("a part before the schema");
  switch (part) {
    case IndexPart::Schema:
      return restore_schema(index, bytes);
    case IndexPart::Documents:
      return restore_documents(index, bytes);
    case IndexPart::Lines:
      return restore_lines(index, bytes);
    case IndexPart::Skipped:
      return restore_skipped(index, bytes);
    case IndexPart::Recent:
      return restore_recent(index, bytes);
  }
  return corrupt("an unknown part of an index");
}

Result<Index> IndexRestorer::finish() {
  if (index_.schema().fields().empty()) return corrupt("an index without a schema");
  return std::move(index_);
}

}  // namespace millrace
