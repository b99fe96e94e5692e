// Walks from fact to fact, breadth first: all nodes that can be reached, with their distance, or one of the shortest
// paths to an end. The work is bounded, and the answer says if that limit ended the walk.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/fact/fact_graph.h"
#include "engine/fact/fact_requests.h"

namespace millrace {

enum class FactWalkStop : uint8_t {
  None,   // the walk is complete
  Limit,  // there are more nodes than asked for
  Work,   // there are more facts than one walk may look at
};

struct FactWalk {
  struct Node {
    FactName name;
    uint32_t distance;
  };
  FactWalkStop stop = FactWalkStop::None;
  std::vector<Node> nodes;  // without the start; the nearest first, and at the same distance in the order of the facts
  // If there is an end: the facts that lead to it, from the start on; nullopt if it was not reached.
  std::optional<std::vector<Fact>> path;
};

// Looks at up to `most_facts`.
FactWalk walk_facts(const FactGraph& graph, const FactWalkRequest& request, uint64_t most_facts);

}  // namespace millrace
