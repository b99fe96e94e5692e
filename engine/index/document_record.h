// The values of one document in few bytes, beside its name (indexed_documents.h). They are needed to remove the
// document from the orders when it changes, and to check conditions.
//
//   values := { tag value }* 00
//   tag    := id << 4 | code, as a varint; ids in ascending order. Id 0 is the date of expiry
//   code   := 0 to 8: a number of this many bytes; 15: text, as its key
//
// An INTEGER is stored as the last bytes of its zigzag form, the most significant first. A NUMBER is stored as the
// first bytes of the double; the rest are zero. So most numbers take 1 to 4 bytes.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/index/document_values.h"
#include "engine/index/index_ids.h"
#include "engine/index/index_keys.h"
#include "engine/index/index_schema.h"

namespace millrace {

// The record of a document without values.
inline constexpr ByteView kEmptyRecord{"\0", 1};

// Appends a record. Values of fields that the schema does not have are left out.
void append_record(std::string& to, const IndexSchema& schema, const DocumentValues& values);

// Reads the values of a record, one after the other.
class DocumentRecordReader {
 public:
  // Borrows both for its own lifetime.
  DocumentRecordReader(const IndexSchema& schema, ByteView record) : schema_(schema), left_(record) {}

  // Goes to the next value; false if there is none. Values of fields that have been dropped are left out.
  bool next();
  OrderId field() const { return field_; }
  // Valid until the next value.
  ByteView key() const { return key_; }

 private:
  const IndexSchema& schema_;
  ByteView left_;
  OrderId field_;
  ByteView key_;
  std::array<char, kNumberKeyBytes> number_{};
};

std::optional<UnixMs> expiry_of(ByteView record);
// The size of the record at the beginning of untrusted `bytes`; 0 if there is none.
size_t record_size(ByteView bytes);
// True if a record has only values of the schema's fields, each of the type of its field. The record may be untrusted
// except for its size.
bool is_typed_record(const IndexSchema& schema, ByteView record);
// The size of a record that append_record() has made; the bytes need no known end.
size_t own_record_size(const char* bytes);
// All values as they were added. Dropped fields are left out.
void read_record(const IndexSchema& schema, ByteView record, DocumentValues& values);

}  // namespace millrace
