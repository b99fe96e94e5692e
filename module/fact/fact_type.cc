#include "module/fact/fact_type.h"

#include <string>

#include "engine/fact/fact_codec.h"
#include "engine/fact/fact_effects.h"
#include "module/abi/clock.h"
#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"
#include "module/runtime/reclaim.h"

namespace millrace::module {

const HashKey& fact_hash_key() {
  static const HashKey key = [] {
    HashKey random;
    abi::fill_with_randomness(random);
    return random;
  }();
  return key;
}

}  // namespace millrace::module

namespace millrace::abi {

namespace {

// Behind the last part of a graph in an RDB file. Do not change: persisted.
constexpr char kGraphEnd = '\x7f';

// A part travels as one string, its kind first.
Result<std::unique_ptr<FactGraph>> load_graph(RdbReader& reader) {
  auto graph = std::make_unique<FactGraph>(module::fact_hash_key());
  while (true) {
    const auto bytes = reader.bytes();
    if (!bytes || bytes->size() == 0) return cut_short();
    const char kind = bytes->view().front();
    if (kind == kGraphEnd && !graph->empty()) return graph;
    module::failure_point("fact.load");
    auto restored = restore_fact_part(*graph, static_cast<FactPart>(kind), bytes->view().substr(1));
    if (!restored) return std::unexpected(restored.error());
  }
}

}  // namespace

std::unique_ptr<FactGraph> TypeTraits<FactGraph>::load(RdbReader& reader, int version) {
  auto graph = version == kEncodingVersion ? load_graph(reader)
                                           : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (graph) return std::move(*graph);
  ++module::counters.refused_payloads;
  reader.refuse("graph of facts", graph.error());
  return nullptr;
}

void TypeTraits<FactGraph>::release(std::unique_ptr<FactGraph> graph) {
  if (graph->parts() > module::kPartsAtOnce && module::may_reclaim_later()) module::reclaim_parts(std::move(graph));
}

void TypeTraits<FactGraph>::save(RdbWriter& writer, const FactGraph& graph) {
  each_fact_part(graph, [&](FactPart part, ByteView bytes) {
    writer.bytes(std::string(1, static_cast<char>(part)) + std::string(bytes));
    module::failure_point("fact.save");
  });
  writer.bytes(ByteView(&kGraphEnd, 1));
}

void TypeTraits<FactGraph>::rewrite(AofWriter& writer, const FactGraph& graph) {
  each_fact_part(graph, [&](FactPart part, ByteView bytes) {
    module::failure_point("fact.rewrite");
    writer.emit(module::kApplyToFacts, kFactParts[static_cast<size_t>(part)], bytes);
  });
}

std::unique_ptr<FactGraph> TypeTraits<FactGraph>::copy(const FactGraph& graph) {
  auto made = std::make_unique<FactGraph>(module::fact_hash_key());
  // What we have written ourselves can be read.
  each_fact_part(graph,
                 [&](FactPart part, ByteView bytes) { static_cast<void>(restore_fact_part(*made, part, bytes)); });
  return made;
}

}  // namespace millrace::abi
