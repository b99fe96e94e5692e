// The graph of facts as a key type of the host.
#pragma once

#include "engine/fact/fact_graph.h"
#include "module/abi/data_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<FactGraph> {
  static constexpr const char* kName = "millr-fct";
  static constexpr int kEncodingVersion = 1;
  static std::unique_ptr<FactGraph> load(RdbReader& reader, int version);
  static void release(std::unique_ptr<FactGraph> graph);
  static void save(RdbWriter& writer, const FactGraph& graph);
  static void rewrite(AofWriter& writer, const FactGraph& graph);
  static void digest(DigestWriter& writer, const FactGraph& graph) { graph.digest(writer); }
  static uint64_t memory(const FactGraph& graph) { return graph.memory(); }
  static uint64_t free_effort(const FactGraph& graph) { return graph.parts(); }
  static std::unique_ptr<FactGraph> copy(const FactGraph& graph);
};

}  // namespace millrace::abi

namespace millrace::module {

// What the graphs of this process hash names by: random, neither saved nor replicated.
const HashKey& fact_hash_key();

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToFacts = "FACT.APPLY";

}  // namespace millrace::module
