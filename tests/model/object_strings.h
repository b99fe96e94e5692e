// The strings of an object (engine/base/parts.h) as one string and back, for tests and fuzzers: a length before each.
//
// object := 00 string*     in parts, after an empty string, which never begins older encodings
//           | string*        as older versions wrote it
//   string := length bytes                                   (a varint)
#pragma once

#include <string>

#include "engine/base/decoder.h"
#include "engine/base/parts.h"

namespace millrace::testing {

inline void append_string(std::string& to, ByteView string) {
  append_varint(to, string.size());
  to += string;
}

// `each` calls its argument for each part.
template <class EachPart>
std::string strings_of(std::span<const PartKind> kinds, EachPart each) {
  std::string bytes(1, '\0');
  each([&](const Part& part) { write_part(kinds, part, [&](ByteView string) { append_string(bytes, string); }); });
  append_string(bytes, kEndOfParts);
  return bytes;
}

// Adds all strings to the restorer. `after_each` is called after each part, also after the one that is refused.
template <class Restorer, class AfterEach>
Result<void> add_strings(Restorer& restorer, std::span<const PartKind> kinds, ByteView bytes, AfterEach after_each) {
  const bool is_in_parts = bytes.starts_with('\0');
  Decoder in(is_in_parts ? bytes.substr(1) : bytes);
  const NextString next = [&]() -> Result<Buffer> {
    const ByteView string = in.bytes(in.number());
    if (!in.ok()) return corrupt("the payload ends too early");
    return Buffer::copy_of(string);
  };
  auto added = is_in_parts ? read_parts(kinds, next,
                                        [&](uint8_t kind, ByteView part, Buffer block) {
                                          auto one = restorer.add(kind, part, std::move(block));
                                          after_each();
                                          return one;
                                        })
                           : restorer.add_older(next);
  after_each();
  if (added && !in.finished()) return corrupt("bytes after the end");
  return added;
}

}  // namespace millrace::testing
