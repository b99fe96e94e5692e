// A whole graph as one string and back, for tests and fuzzers: what RDB and AOF do with one string for each part
// (engine/fact/fact_codec.h), here with its kind and a length before each.
//
//   graph := (kind part(bytes))*      part := length bytes      (numbers are varints)
#pragma once

#include <string>

#include "engine/base/decoder.h"
#include "engine/fact/fact_codec.h"

namespace millrace::testing {

inline void append_fact_part(std::string& to, FactPart part, ByteView bytes) {
  append_varint(to, static_cast<uint64_t>(part));
  append_varint(to, bytes.size());
  to += bytes;
}

inline std::string graph_to_bytes(const FactGraph& graph) {
  std::string all;
  each_fact_part(graph, [&](FactPart part, ByteView bytes) { append_fact_part(all, part, bytes); });
  return all;
}

// Trusts nothing, as the module's loader does.
inline Result<FactGraph> graph_from_bytes(ByteView bytes, const HashKey& key = {}) {
  FactGraph graph(key);
  Decoder parts(bytes);
  while (!parts.finished()) {
    const uint64_t kind = parts.number();
    const ByteView part = parts.bytes(parts.number());
    if (!parts.ok() || kind > UINT8_MAX) return fail(ErrorCode::Corrupt, "the payload ends too early");
    auto restored = restore_fact_part(graph, static_cast<FactPart>(kind), part);
    if (!restored) return std::unexpected(restored.error());
  }
  return graph;
}

inline std::string digest_of(const FactGraph& graph) {
  DigestText digest;
  graph.digest(digest);
  return digest.text();
}

}  // namespace millrace::testing
