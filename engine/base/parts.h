// An object as a sequence of parts. RDB files, DUMP and a rewritten append-only file store these, and so can a program
// that stores objects itself. Each family lists its kinds of parts in <family>_parts.h, and has there each_part(object,
// visit) and a restorer, which makes an object from parts of an untrusted source:
//
//   Result<void> add(uint8_t kind, ByteView bytes, Buffer block);   in the order of each_part(). Failure: Corrupt
//   Result<void> add_older(const NextString& next);                 the strings of older versions, if there are any
//   Result<Object> finish();                                        after the last part. Failure: Corrupt
//
// In a store of strings, an object is
//
//   object := part* end
//   part   := kind bytes     one string, the kind is its first byte
//             [block]        of a kind that has one, a second string: the bytes of a block
//   end    := 7f
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "engine/base/buffer.h"
#include "engine/base/bytes.h"
#include "engine/base/decoder.h"
#include "engine/base/error.h"

namespace millrace {

struct PartKind {
  const char* word;        // written before its bytes in an append-only file; null: none
  bool has_block = false;  // the bytes of a block follow
};

// The views are valid as long as what they come from: during a call of a PartVisit, or as long as the words of a
// command.
struct Part {
  uint8_t kind = 0;  // index in the list of the family's kinds
  ByteView bytes;
  ByteView block;
};

// A family's kind as an index in that list.
template <class Kind>
constexpr uint8_t number_of(Kind kind) {
  return static_cast<uint8_t>(kind);
}

using PartVisit = std::function<void(const Part& part)>;

// Returns the next string. Failure: Corrupt, if there is none.
using NextString = std::function<Result<Buffer>()>;

// Do not change: persisted.
inline constexpr ByteView kEndOfParts = "\x7f";

// Calls write(string) for the strings of a part.
template <class Write>
void write_part(std::span<const PartKind> kinds, const Part& part, Write write) {
  std::string string;
  string.reserve(1 + part.bytes.size());
  string += static_cast<char>(part.kind);
  string += part.bytes;
  write(string);
  if (kinds[part.kind].has_block) write(part.block);
}

// Calls add(kind, bytes, block) for each part, up to the end.
template <class Add>
Result<void> read_parts(std::span<const PartKind> kinds, const NextString& next, Add add) {
  while (true) {
    const auto string = next();
    if (!string) return std::unexpected(string.error());
    const ByteView bytes = string->view();
    if (bytes == kEndOfParts) return {};
    const uint8_t kind = bytes.empty() ? 0 : static_cast<uint8_t>(bytes.front());
    if (bytes.empty() || kind >= kinds.size()) return corrupt("a part of an unknown kind");
    auto block = kinds[kind].has_block ? next() : Buffer();
    if (!block) return std::unexpected(block.error());
    if (auto added = add(kind, bytes.substr(1), std::move(*block)); !added) return added;
  }
}

// --- older encodings, whose strings do not contain their kind ---

// Adds `count` parts of a kind.
template <class Restorer, class Kind>
Result<void> add_next(Restorer& restorer, std::span<const PartKind> kinds, Kind kind, uint64_t count,
                      const NextString& next) {
  for (; count > 0; --count) {
    const auto bytes = next();
    if (!bytes) return std::unexpected(bytes.error());
    auto block = kinds[number_of(kind)].has_block ? next() : Buffer();
    if (!block) return std::unexpected(block.error());
    if (auto added = restorer.add(number_of(kind), bytes->view(), std::move(*block)); !added) return added;
  }
  return {};
}

// The same for a string that says how many there are.
template <class Restorer, class Kind>
Result<void> add_counted(Restorer& restorer, std::span<const PartKind> kinds, Kind kind, const NextString& next) {
  const auto string = next();
  if (!string) return std::unexpected(string.error());
  Decoder in(string->view());
  const uint64_t count = in.number();
  if (!in.finished()) return corrupt("a number of the wrong length");
  return add_next(restorer, kinds, kind, count, next);
}

}  // namespace millrace
