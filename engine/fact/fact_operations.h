// All operations on a graph of facts. A caller parses requests and carries out consequences
// (engine/operation/outcome.h); it makes no decisions of its own.
//
// A graph has no time: the result of a request depends only on the graph and the request. So replicas and files get the
// requests that changed something. A graph without facts does not exist: its place is emptied, on replicas too.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/keyed_hash.h"
#include "engine/base/parts.h"
#include "engine/fact/fact_graph.h"
#include "engine/fact/fact_requests.h"
#include "engine/fact/fact_walk.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"

namespace millrace {

// What operations on graphs have done since the process started. Not saved.
struct FactCounters {
  uint64_t added = 0;
  uint64_t removed = 0;
  uint64_t found = 0;   // facts in answers to questions
  uint64_t walked = 0;  // nodes in answers to walks
};

// Can be changed at any time.
struct FactLimits {
  uint64_t walk_facts = 20'000;  // how many facts one walk may look at
  uint64_t facts = kMaxFacts;    // how many facts a graph may have
};

struct FoundFacts {
  std::vector<Fact> facts;
  bool has_more = false;
};

class FactOperations {
 public:
  // `key` is the hash key for the names in all graphs. The limits are read again for each operation.
  FactOperations(const HashKey& key, const FactLimits& limits) : key_(key), limits_(limits) {}

  const FactCounters& counters() const { return counters_; }

  // Returns how many of the facts are new. Failure: Full, and nothing is added.
  Outcome<uint64_t> add(Place<FactGraph>& place, FactWords facts, const Call& call);
  // Returns how many of the facts existed.
  Outcome<uint64_t> remove(Place<FactGraph>& place, FactWords facts, const Call& call);

  // --- reading; a null graph has no facts ---
  // How many facts match a pattern.
  static uint64_t count(const FactGraph* graph, const FactQuestion& question);
  // The facts of a pattern, a page at a time.
  FoundFacts find(const FactGraph* graph, const FactFindRequest& request);
  // The nodes that can be reached from a node, within FactLimits::walk_facts.
  FactWalk walk(const FactGraph* graph, const FactWalkRequest& request);

  // --- effects from another engine ---
  // Applies a saved part of a graph. Failure: Corrupt, without any change.
  Outcome<Done> apply(Place<FactGraph>& place, const Part& part, const Call& call);

 private:
  const HashKey& key_;
  const FactLimits& limits_;
  FactCounters counters_;
};

}  // namespace millrace
