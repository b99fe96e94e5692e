#include "engine/index/skipped_values.h"

#include <algorithm>
#include <string>

#include "engine/index/order_entry.h"

namespace millrace {

namespace {

constexpr size_t kIdBytes = 4;

std::string start_of(DocumentId id) {
  std::string start;
  append_id(start, id);
  return start;
}

std::string entry_of(DocumentId id, const SkippedValue& value) {
  std::string entry = start_of(id);
  append_id(entry, DocumentId(value.field.value()));
  entry += static_cast<char>(value.reason);
  return entry;
}

}  // namespace

DocumentId SkippedValues::document_of(ByteView entry) { return id_of_entry(entry.substr(0, kIdBytes)); }

SkippedValue SkippedValues::value_of(ByteView entry) {
  const OrderId field(id_of_entry(entry.substr(kIdBytes, kIdBytes)).value());
  return {field, static_cast<SkipReason>(static_cast<uint8_t>(entry.back()))};
}

std::vector<SkippedValue> SkippedValues::of(DocumentId id) const {
  std::vector<SkippedValue> values;
  if (empty()) return values;
  const std::string start = start_of(id);
  ByteOrder::Walk walk(entries_);
  for (walk.seek(start); walk.is_at_entry() && walk.entry().starts_with(start); walk.next()) {
    values.push_back(value_of(walk.entry()));
  }
  return values;
}

void SkippedValues::set(DocumentId id, std::span<const SkippedValue> values) {
  if (empty() && values.empty()) return;
  const std::vector<SkippedValue> old = of(id);
  if (!old.empty()) --documents_;
  if (!values.empty()) ++documents_;
  if (std::ranges::equal(old, values)) return;
  for (const SkippedValue& value : old) entries_.erase(entry_of(id, value));
  for (const SkippedValue& value : values) entries_.insert(entry_of(id, value));
}

const char* SkippedValues::check() const {
  if (const char* broken = entries_.check()) return broken;
  uint64_t documents = 0;
  DocumentId before = DocumentId::none();
  each([&](DocumentId id, const SkippedValue&) {
    if (id != before) ++documents;
    before = id;
    return true;
  });
  return documents == documents_ ? nullptr : "the number of documents that were skipped is wrong";
}

}  // namespace millrace
