// An index as bytes, for RDB, DUMP, AOF rewrite and COPY: a sequence of parts; docs/formats/index.md draws them. Names
// are written as size and bytes, numbers as varints.
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
// Orders are not saved: they follow from the documents, none of which is read again.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/digest_sink.h"
#include "engine/base/error.h"
#include "engine/index/index.h"

namespace millrace {

// Do not change: persisted.
enum class IndexPart : uint8_t { Schema, Documents, Lines, Skipped, Recent };
inline constexpr const char* kIndexParts[] = {"SCHEMA", "DOCUMENTS", "LINES", "SKIPPED", "RECENT"};

// All parts in the order in which they are restored.
void each_index_part(const Index& index, const std::function<void(IndexPart part, ByteView bytes)>& visit);

// Adds a part from an untrusted source to the index, after checking all of it. Failure: Corrupt; the index is unchanged
// then.
Result<void> restore_index_part(Index& index, IndexPart part, ByteView bytes);

// Schema and documents, in the order of their keys.
void digest(const Index& index, DigestSink& sink);

}  // namespace millrace
