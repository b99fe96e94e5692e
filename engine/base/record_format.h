// The bytes of one message inside a block. Reader and writer share this header;
// docs/formats/log.md explains it.
//
//   +-----------+----------------------+----------+-----------+--------- - -+
//   | tag       | tag length, tag      | time     | entry     | entry       |
//   | reference | only if reference 0  | delta    | length    | bytes       |
//   +-----------+----------------------+----------+-----------+--------- - -+
//     varint      varint, bytes          varint     varint
//
// tag reference  0: this message brings its tag along. Otherwise the position,
//                from the block's first byte, of the tag length of the message
//                that brought it. (That position is never 0: the first byte of a
//                block is a tag reference.) So a tag is stored once a block and
//                found without a table.
// time delta     milliseconds since the message before it in the block; 0 for the
//                first one, whose date the block keeps.
//
// In a block with gaps, that is, after compaction, every record begins with one more number: how many offsets without a
// message are between it and the previous record; 0 for the first.
//
// Two messages "hi" and "yo" with the tag "t", 3 ms apart:
//
//   00 01 't' 00 02 'h' 'i'   01 03 02 'y' 'o'
//      ^ position 1 ----------^ refers to it
#pragma once

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/varint.h"

namespace millrace {

// Where in a block a tag is stored: the position of its length. 0 means nowhere.
using TagPosition = uint32_t;

// The tag stored at `position` of the block that begins at `block`.
// REQUIRES: a tag is stored there.
inline ByteView tag_at(const char* block, TagPosition position) {
  uint64_t size;
  const char* bytes = get_varint_unchecked(block + position, size);
  return {bytes, size};
}

struct Record {
  ByteView tag;
  ByteView entry;
  uint64_t time_delta;
};

// Reads the record at `at` of a valid block; returns where the next one starts.
// The views live as long as the block's bytes.
inline const char* read_record(const char* block, const char* at, Record& record) {
  uint64_t reference, size;
  at = get_varint_unchecked(at, reference);
  if (reference == 0) {
    at = get_varint_unchecked(at, size);
    record.tag = {at, size};
    at += size;
  } else {
    record.tag = tag_at(block, static_cast<TagPosition>(reference));
  }
  at = get_varint_unchecked(at, record.time_delta);
  at = get_varint_unchecked(at, size);
  record.entry = {at, size};
  return at + size;
}

// The same without reading the tag, for walking to a position.
inline const char* skip_record(const char* at, uint64_t& time_delta) {
  uint64_t reference, size;
  at = get_varint_unchecked(at, reference);
  if (reference == 0) {
    at = get_varint_unchecked(at, size);
    at += size;
  }
  at = get_varint_unchecked(at, time_delta);
  at = get_varint_unchecked(at, size);
  return at + size;
}

// How many bytes a record takes. `known` is where its tag is already stored, or 0.
inline uint64_t record_size(TagPosition known, ByteView tag, uint64_t time_delta, ByteView entry) {
  uint64_t size = varint_size(known) + varint_size(time_delta) + varint_size(entry.size()) + entry.size();
  if (known == 0) size += varint_size(tag.size()) + tag.size();
  return size;
}

// REQUIRES: record_size() bytes of room at `to`.
inline void write_record(char* to, TagPosition known, ByteView tag, uint64_t time_delta, ByteView entry) {
  to = put_varint(to, known);
  if (known == 0) {
    to = put_varint(to, tag.size());
    to += tag.copy(to, tag.size());
  }
  to = put_varint(to, time_delta);
  to = put_varint(to, entry.size());
  entry.copy(to, entry.size());
}

}  // namespace millrace
