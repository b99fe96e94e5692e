#include "engine/index/indexed_documents.h"

#include <algorithm>
#include <cstring>

#include "engine/base/varint.h"
#include "engine/index/document_record.h"

namespace millrace {

namespace {

// How many bytes an allocator uses for this many.
size_t rounded(size_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

DocumentId IndexedDocuments::find(ByteView wanted) const {
  const DocumentId* found = by_name_.find(hash(wanted), [&](DocumentId id) { return name(id) == wanted; });
  return found == nullptr ? DocumentId::none() : *found;
}

ByteView IndexedDocuments::name(DocumentId id) const {
  uint64_t size = 0;
  const char* at = get_varint_unchecked(slots_[id].bytes.get(), size);
  return {at, size};
}

ByteView IndexedDocuments::record(DocumentId id) const {
  const ByteView before = name(id);
  const char* at = before.data() + before.size();
  return {at, own_record_size(at)};
}

std::unique_ptr<char[]> IndexedDocuments::joined(ByteView name, ByteView record) {
  auto bytes = std::make_unique_for_overwrite<char[]>(varint_size(name.size()) + name.size() + record.size());
  char* at = put_varint(bytes.get(), name.size());
  if (!name.empty()) std::memcpy(at, name.data(), name.size());
  std::memcpy(at + name.size(), record.data(), record.size());
  return bytes;
}

size_t IndexedDocuments::size_of(DocumentId id) const {
  const ByteView last = record(id);
  return static_cast<size_t>(last.data() + last.size() - slots_[id].bytes.get());
}

size_t IndexedDocuments::bytes_of(DocumentId id) const { return rounded(size_of(id)); }

IndexedDocuments IndexedDocuments::clone() const {
  IndexedDocuments copy(key_);
  copy.slots_ = slots_.clone([](const Document&) { return Document(); });
  for (const DocumentId id : slots_.all()) {
    if (!is_there(id)) continue;
    const size_t size = size_of(id);
    copy.slots_[id].bytes = std::make_unique_for_overwrite<char[]>(size);
    std::memcpy(copy.slots_[id].bytes.get(), slots_[id].bytes.get(), size);
  }
  copy.by_name_ = by_name_.clone();
  copy.bytes_ = bytes_;
  return copy;
}

DocumentId IndexedDocuments::add(ByteView name, ByteView record) {
  const DocumentId id = slots_.add();
  slots_[id].bytes = joined(name, record);
  bytes_ += bytes_of(id);
  by_name_.insert(hash(name), id);
  return id;
}

void IndexedDocuments::set_record(DocumentId id, ByteView changed) {
  bytes_ -= bytes_of(id);
  const ByteView old = record(id);
  if (old.size() == changed.size()) {
    std::memcpy(slots_[id].bytes.get() + (old.data() - slots_[id].bytes.get()), changed.data(), changed.size());
  } else {
    slots_[id].bytes = joined(name(id), changed);
  }
  bytes_ += bytes_of(id);
}

void IndexedDocuments::remove(DocumentId id) {
  bytes_ -= bytes_of(id);
  by_name_.erase(hash(name(id)), id);
  slots_.remove(id);
  by_name_.shrink(slots_.size(), [](DocumentId) { return true; });
}

bool IndexedDocuments::free_some() {
  constexpr size_t kAtOnce = 100;
  if (by_name_.free_some(kAtOnce)) return true;
  for (size_t i = 0; i < kAtOnce; ++i) {
    if (!slots_.free_last()) return false;
  }
  return true;
}

const char* IndexedDocuments::check() const {
  if (const char* broken = by_name_.check()) return broken;
  size_t count = 0;
  size_t bytes = 0;
  for (const DocumentId id : slots_.all()) {
    if (!is_there(id)) continue;
    ++count;
    bytes += bytes_of(id);
    if (find(name(id)) != id) return "a document is not found by its name";
  }
  if (count != size() || count != by_name_.size()) return "the number of documents is wrong";
  return bytes == bytes_ ? nullptr : "the bytes of the documents are wrong";
}

}  // namespace millrace
