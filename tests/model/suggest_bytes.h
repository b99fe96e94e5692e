// A whole dictionary as one string and back, for tests and fuzzers: its parts (engine/suggest/suggest_parts.h), each
// with its kind.
//
//   dictionary := (kind part)*      part := length bytes      (numbers are varints)
#pragma once

#include <string>

#include "engine/base/decoder.h"
#include "engine/suggest/suggest_parts.h"
#include "tests/model/object_strings.h"

namespace millrace::testing {

inline std::string dictionary_to_bytes(const TermDictionary& dictionary) {
  std::string all;
  each_part(dictionary, [&](const Part& part) {
    append_varint(all, part.kind);
    append_string(all, part.bytes);
  });
  return all;
}

// Treats the bytes as untrusted, as the module's loader does.
inline Result<TermDictionary> dictionary_from_bytes(ByteView bytes) {
  SuggestRestorer dictionary;
  Decoder parts(bytes);
  while (!parts.finished()) {
    const uint64_t kind = parts.number();
    const ByteView part = parts.bytes(parts.number());
    if (!parts.ok() || kind > UINT8_MAX) return fail(ErrorCode::Corrupt, "the payload ends too early");
    auto restored = dictionary.add(static_cast<uint8_t>(kind), part, {});
    if (!restored) return std::unexpected(restored.error());
  }
  return dictionary.finish();
}

inline std::string dictionary_digest(const TermDictionary& dictionary) {
  DigestText text;
  digest(dictionary, text);
  return text.text();
}

}  // namespace millrace::testing
