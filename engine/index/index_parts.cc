#include "engine/index/index_parts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/varint.h"
#include "engine/index/document_record.h"
#include "engine/index/index_part_flags.h"

namespace millrace {

namespace {

// A string of documents is closed when it is longer.
constexpr size_t kPartBytes = 16 * 1024;

void append_bytes(std::string& to, ByteView bytes) {
  append_varint(to, bytes.size());
  to += bytes;
}

std::string encode_schema(const Index& index) {
  const IndexSchema& schema = index.schema();
  std::string bytes;
  append_varint(bytes, kIndexVersion);
  append_varint(bytes, schema.is_json() ? kJsonIndexFlag : 0);
  append_varint(bytes, static_cast<uint64_t>(index.work()));
  append_varint(bytes, schema.next_id());
  append_bytes(bytes, schema.prefix());
  append_varint(bytes, schema.fields().size());
  for (const IndexField& field : schema.fields()) {
    append_varint(bytes, field.id.value());
    append_varint(bytes, static_cast<uint64_t>(field.type));
    append_varint(bytes, (field.ignores_case ? kNoCaseFieldFlag : 0) | (field.is_unique ? kUniqueFieldFlag : 0));
    append_bytes(bytes, field.name);
    append_bytes(bytes, field.separator);
  }
  append_varint(bytes, schema.orders().size());
  for (const CompositeOrder& order : schema.orders()) {
    append_varint(bytes, order.id.value());
    append_bytes(bytes, order.name);
    append_varint(bytes, order.ids.size());
    for (const OrderId id : order.ids) append_varint(bytes, id.value());
  }
  return bytes;
}

// Parts of some kilobytes each.
class PartWriter {
 public:
  PartWriter(IndexPart part, const PartVisit& visit) : part_(part), visit_(visit) {}
  std::string& bytes() {
    if (bytes_.size() > kPartBytes) close();
    return bytes_;
  }
  void close() {
    if (!bytes_.empty()) visit_({number_of(part_), bytes_, {}});
    bytes_.clear();
  }

 private:
  IndexPart part_;
  const PartVisit& visit_;
  std::string bytes_;
};

// Without the values of fields that were dropped.
void append_document(std::string& to, const Index& index, DocumentId id, DocumentValues& values) {
  append_bytes(to, index.documents().name(id));
  read_record(index.schema(), index.documents().record(id), values);
  append_record(to, index.schema(), values);
}

void append_line_entry(std::string& to, const Index& index, OrderId field, ByteView key, DocumentId id) {
  append_varint(to, field.value());
  append_bytes(to, key);
  append_bytes(to, index.documents().name(id));
}

void each_line_part(const Index& index, const PartVisit& visit) {
  PartWriter writer(IndexPart::Lines, visit);
  // Calling make_holder() for each, from the last in the line to the holder, restores the order of the line.
  std::vector<DocumentId> line;
  OrderId field;
  std::string key;
  DocumentId holder;
  const auto write_line = [&] {
    for (auto id = line.rbegin(); id != line.rend(); ++id) append_line_entry(writer.bytes(), index, field, key, *id);
    if (!line.empty()) append_line_entry(writer.bytes(), index, field, key, holder);
    line.clear();
  };
  index.each_conflict([&](const Conflict& conflict) {
    if (field != conflict.field || key != conflict.key) write_line();
    field = conflict.field;
    key = conflict.key;
    holder = conflict.holder;
    line.push_back(conflict.document);
    return true;
  });
  write_line();
  writer.close();
}

void each_skipped_part(const Index& index, const PartVisit& visit) {
  PartWriter writer(IndexPart::Skipped, visit);
  index.each_skipped([&](DocumentId id, const SkippedValue& value) {
    // What orders of several fields leave out follows from the documents.
    if (index.schema().find_order(value.field) != nullptr) return true;
    std::string& bytes = writer.bytes();
    append_bytes(bytes, index.documents().name(id));
    append_varint(bytes, value.field.value());
    append_varint(bytes, static_cast<uint64_t>(value.reason));
    return true;
  });
  writer.close();
}

}  // namespace

void each_part(const Index& index, const PartVisit& visit) {
  visit({number_of(IndexPart::Schema), encode_schema(index), {}});
  PartWriter documents(IndexPart::Documents, visit);
  DocumentValues values;
  for (uint32_t id = 0; id < index.documents().limit(); ++id) {
    if (!index.documents().is_there(DocumentId(id))) continue;
    append_document(documents.bytes(), index, DocumentId(id), values);
  }
  documents.close();
  each_line_part(index, visit);
  each_skipped_part(index, visit);
  PartWriter recent(IndexPart::Recent, visit);
  std::vector<DocumentId> written = index.recent(RecentDocuments::kMost);
  for (auto id = written.rbegin(); id != written.rend(); ++id) {
    append_bytes(recent.bytes(), index.documents().name(*id));
  }
  recent.close();
}

void digest(const Index& index, DigestSink& sink) {
  const IndexSchema& schema = index.schema();
  sink.bytes(schema.prefix());
  sink.number(schema.is_json() ? 1 : 0);
  for (const IndexField& field : schema.fields()) {
    sink.bytes(field.name);
    sink.number(static_cast<uint64_t>(field.type) | (field.ignores_case ? 4 : 0) | (field.is_unique ? 8 : 0));
    sink.bytes(field.separator);
  }
  for (const CompositeOrder& order : schema.orders()) {
    sink.bytes(order.name);
    for (const std::string& field : order.fields) sink.bytes(field);
  }
  const IndexedDocuments& documents = index.documents();
  std::vector<DocumentId> ids;
  for (uint32_t id = 0; id < documents.limit(); ++id) {
    if (documents.is_there(DocumentId(id))) ids.emplace_back(id);
  }
  std::ranges::sort(ids, {}, [&](DocumentId id) { return documents.name(id); });
  DocumentValues values;
  for (const DocumentId id : ids) {
    sink.bytes(documents.name(id));
    read_record(schema, documents.record(id), values);
    sink.number(values.expires_at ? values.expires_at->value() : 0);
    for (const DocumentValue& value : values.values) {
      sink.bytes(schema.find_field(value.field)->name);
      sink.bytes(value.key);
    }
  }
}

}  // namespace millrace
