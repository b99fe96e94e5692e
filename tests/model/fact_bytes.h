// A whole graph as one string and back, for tests and fuzzers: its parts (engine/fact/fact_parts.h), each with its
// kind.
//
//   graph := (kind part)*      part := length bytes      (numbers are varints)
#pragma once

#include <string>

#include "engine/base/decoder.h"
#include "engine/fact/fact_parts.h"
#include "tests/model/object_strings.h"

namespace millrace::testing {

inline std::string graph_to_bytes(const FactGraph& graph) {
  std::string all;
  each_part(graph, [&](const Part& part) {
    append_varint(all, part.kind);
    append_string(all, part.bytes);
  });
  return all;
}

// Treats the bytes as untrusted, as the module's loader does.
inline Result<FactGraph> graph_from_bytes(ByteView bytes, const HashKey& key = {}) {
  FactRestorer graph(key);
  Decoder parts(bytes);
  while (!parts.finished()) {
    const uint64_t kind = parts.number();
    const ByteView part = parts.bytes(parts.number());
    if (!parts.ok() || kind > UINT8_MAX) return fail(ErrorCode::Corrupt, "the payload ends too early");
    auto restored = graph.add(static_cast<uint8_t>(kind), part, {});
    if (!restored) return std::unexpected(restored.error());
  }
  return graph.finish();
}

inline std::string graph_digest(const FactGraph& graph) {
  DigestText text;
  digest(graph, text);
  return text.text();
}

}  // namespace millrace::testing
