// An entry of an order: the key of a document in that order (index_keys.h) and the document's id.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/big_endian.h"
#include "engine/base/bytes.h"
#include "engine/index/index_ids.h"

namespace millrace {

inline constexpr size_t kEntryIdBytes = 4;

inline void append_id(std::string& to, DocumentId id) { append_big_endian(to, id.value()); }

// REQUIRES: at least kEntryIdBytes
inline DocumentId id_of_entry(ByteView entry) {
  uint32_t id = 0;
  for (const char byte : entry.substr(entry.size() - kEntryIdBytes)) id = id << 8 | static_cast<uint8_t>(byte);
  return DocumentId(id);
}

inline void make_entry(std::string& entry, ByteView key, DocumentId id) {
  entry = key;
  append_id(entry, id);
}

inline ByteView key_of_entry(ByteView entry) { return entry.substr(0, entry.size() - kEntryIdBytes); }

}  // namespace millrace
