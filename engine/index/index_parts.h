// A whole index as parts (engine/base/parts.h), and their bytes; docs/formats/index.md draws them. Names are written as
// size and bytes, numbers as varints.
//
//   schema     := version flags work next-id prefix fields { field }* orders { order }*
//                   flags: 1 JSON
//   field      := id type flags name separator          flags: 1 NOCASE, 2 UNIQUE
//   order      := id name fields { id }*
//   documents  := { name record }*                      record: see document_record.h
//   lines      := { field key name }*                   of each UNIQUE value that several documents want: the last in
//                                                       the line first, the one that has it last
//   skipped    := { name field reason }*
//   recent     := { name }*                             the one written first comes first
//
// Orders are not saved: they are rebuilt from the saved records, without reading the documents.
#pragma once

#include <cstdint>

#include "engine/base/digest_sink.h"
#include "engine/base/error.h"
#include "engine/base/parts.h"
#include "engine/index/index.h"

namespace millrace {

// Do not change: persisted.
enum class IndexPart : uint8_t { Schema, Documents, Lines, Skipped, Recent };
inline constexpr PartKind kIndexParts[] = {{"SCHEMA"}, {"DOCUMENTS"}, {"LINES"}, {"SKIPPED"}, {"RECENT"}};

// In the order in which they are restored.
void each_part(const Index& index, const PartVisit& visit);

// Adds a part from an untrusted source to the index, after checking all of it. Failure: Corrupt; the index is unchanged
// then.
Result<void> restore_part(Index& index, IndexPart part, ByteView bytes);

class IndexRestorer {
 public:
  explicit IndexRestorer(const HashKey& key) : index_(IndexSchema(), key) {}

  Result<void> add(uint8_t kind, ByteView bytes, Buffer) {
    return restore_part(index_, static_cast<IndexPart>(kind), bytes);
  }
  // Failure: Corrupt, if it has no schema.
  Result<Index> finish();

 private:
  Index index_;
};

// Schema and documents, in the order of their keys.
void digest(const Index& index, DigestSink& sink);

}  // namespace millrace
