// A graph as bytes, for RDB, DUMP, AOF rewrite and COPY: a sequence of parts; docs/formats/fact.md draws them. Numbers
// are varints.
//
//   facts  := version next fact*            next: the number that the next new name gets
//   fact   := step [name] predicate [name] object [name]
//
// The facts are in their order. A subject is written as the difference to the one before in the part; predicate and
// object as they are. The first time that a number appears in a graph, its name follows: size and bytes.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/fact/fact_graph.h"

namespace millrace {

// Do not change: persisted.
enum class FactPart : uint8_t { Facts };

// All parts in the order in which they are restored; none of an empty graph. Two graphs that have done the same have
// the same bytes.
void each_fact_part(const FactGraph& graph, const std::function<void(FactPart part, ByteView bytes)>& visit);

// Adds a part from an untrusted source to the graph, after checking all of it. Failure: Corrupt; the graph is unchanged
// then.
Result<void> restore_fact_part(FactGraph& graph, FactPart part, ByteView bytes);

}  // namespace millrace
