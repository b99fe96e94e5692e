// A whole dictionary as one string and back, for tests and fuzzers: what RDB and AOF do with one string for each part
// (engine/suggest/suggest_codec.h), here with its kind and a length before each.
//
//   dictionary := (kind part(bytes))*      part := length bytes      (numbers are varints)
#pragma once

#include <string>

#include "engine/base/decoder.h"
#include "engine/suggest/suggest_codec.h"

namespace millrace::testing {

inline std::string dictionary_to_bytes(const TermDictionary& dictionary) {
  std::string all;
  each_suggest_part(dictionary, [&](SuggestPart part, ByteView bytes) {
    append_varint(all, static_cast<uint64_t>(part));
    append_varint(all, bytes.size());
    all += bytes;
  });
  return all;
}

// Trusts nothing, as the module's loader does.
inline Result<TermDictionary> dictionary_from_bytes(ByteView bytes) {
  TermDictionary dictionary;
  Decoder parts(bytes);
  while (!parts.finished()) {
    const uint64_t kind = parts.number();
    const ByteView part = parts.bytes(parts.number());
    if (!parts.ok() || kind > UINT8_MAX) return fail(ErrorCode::Corrupt, "the payload ends too early");
    auto restored = restore_suggest_part(dictionary, static_cast<SuggestPart>(kind), part);
    if (!restored) return std::unexpected(restored.error());
  }
  return dictionary;
}

inline std::string digest_of(const TermDictionary& dictionary) {
  DigestText digest;
  dictionary.digest(digest);
  return digest.text();
}

}  // namespace millrace::testing
