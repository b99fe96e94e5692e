// The graph of facts as a key type of the host.
#pragma once

#include "engine/fact/fact_parts.h"
#include "module/abi/data_type.h"
#include "module/runtime/hash_key.h"
#include "module/runtime/type_in_parts.h"

namespace millrace::module {

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToFacts = "FACT.APPLY";

}  // namespace millrace::module

namespace millrace::abi {

template <>
struct TypeTraits<FactGraph> : module::TypeInParts<FactGraph> {
  static constexpr const char* kName = "millr-fct";
  static constexpr int kEncodingVersion = 1;
  static constexpr module::SavedType kSaved{"graph of facts", "fact", module::kApplyToFacts, kFactParts};
  static FactRestorer restorer() { return FactRestorer(module::hash_key()); }
  static void release(FactGraph& graph);
  static uint64_t free_effort(const FactGraph& graph) { return graph.parts(); }
};

}  // namespace millrace::abi
