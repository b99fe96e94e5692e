// A whole graph as parts (engine/base/parts.h), and their bytes; docs/formats/fact.md draws them. Numbers are varints.
//
//   facts  := version next fact*            next: the number that the next new name gets
//   fact   := step [name] predicate [name] object [name]
//
// The facts are in their order. A subject is written as the difference from the previous one in the part, predicate and
// object as they are. The first time that a number appears in a graph, its name follows: size and bytes.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/base/parts.h"
#include "engine/fact/fact_graph.h"

namespace millrace {

// Do not change: persisted.
enum class FactPart : uint8_t { Facts };
inline constexpr PartKind kFactParts[] = {{"FACTS"}};

// Visits the parts in the order in which they are restored; an empty graph has none. Graphs that had the same changes
// have the same parts.
void each_part(const FactGraph& graph, const PartVisit& visit);

// Adds a part from an untrusted source to the graph, after checking all of it. Failure: Corrupt; the graph is unchanged
// then.
Result<void> restore_part(FactGraph& graph, FactPart part, ByteView bytes);

class FactRestorer {
 public:
  explicit FactRestorer(const HashKey& key) : graph_(key) {}

  Result<void> add(uint8_t kind, ByteView bytes, Buffer) {
    return restore_part(graph_, static_cast<FactPart>(kind), bytes);
  }
  // Failure: Corrupt, if there was no part: a graph without facts does not exist.
  Result<FactGraph> finish();

 private:
  FactGraph graph_;
};

}  // namespace millrace
