#include "engine/index/unique_lines.h"

#include "engine/base/big_endian.h"
#include "engine/index/order_entry.h"

namespace millrace {

namespace {

std::string key_and_id(ByteView key, DocumentId id) {
  std::string entry;
  make_entry(entry, key, id);
  return entry;
}

}  // namespace

UniqueLines UniqueLines::clone() const {
  UniqueLines copy;
  copy.by_arrival_ = by_arrival_.clone();
  copy.by_document_ = by_document_.clone();
  copy.next_ = next_;
  copy.first_ = first_;
  return copy;
}

void UniqueLines::add(ByteView key, DocumentId id, uint64_t arrival) {
  std::string entry(key);
  append_big_endian(entry, arrival);
  append_id(entry, id);
  by_arrival_.insert(entry);
  entry = key_and_id(key, id);
  append_big_endian(entry, arrival);
  by_document_.insert(entry);
}

bool UniqueLines::remove(ByteView key, DocumentId id) {
  if (empty()) return false;
  const std::string start = key_and_id(key, id);
  ByteOrder::Walk walk(by_document_);
  walk.seek(start);
  if (!walk.is_at_entry() || !walk.entry().starts_with(start)) return false;
  const std::string found(walk.entry());
  std::string entry(key);
  entry += ByteView(found).substr(start.size());
  append_id(entry, id);
  by_document_.erase(found);
  by_arrival_.erase(entry);
  return true;
}

bool UniqueLines::has(ByteView key, DocumentId id) const {
  if (empty()) return false;
  const std::string start = key_and_id(key, id);
  ByteOrder::Walk walk(by_document_);
  walk.seek(start);
  return walk.is_at_entry() && walk.entry().starts_with(start);
}

DocumentId UniqueLines::first(ByteView key) const {
  if (empty()) return DocumentId::none();
  ByteOrder::Walk walk(by_arrival_);
  walk.seek(key);
  return walk.is_at_entry() && walk.entry().starts_with(key) ? id_of_entry(walk.entry()) : DocumentId::none();
}

const char* UniqueLines::check() const {
  if (const char* broken = by_arrival_.check()) return broken;
  if (const char* broken = by_document_.check()) return broken;
  if (by_arrival_.size() != by_document_.size()) return "a line has not the documents that wait";
  bool are_all_found = true;
  each([&](ByteView key, DocumentId id) { return are_all_found = has(key, id); });
  return are_all_found ? nullptr : "a document in a line is not found";
}

}  // namespace millrace
