// Everything that can be done with a graph of facts. A caller parses requests, carries out consequences
// (engine/operation/outcome.h), and decides nothing.
//
// A graph has no time, and what a request does follows from the graph and the request alone: so replicas and files are
// told the requests that changed something. A graph without facts is none: its place is emptied, on replicas too.
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
  uint64_t walk_facts = 20'000;  // how many facts one walk looks at
  uint64_t facts = kMaxFacts;    // how many a graph has
};

struct FoundFacts {
  std::vector<Fact> facts;
  bool has_more = false;
};

class FactOperations {
 public:
  // The key is for the names in all graphs; limits are read again for each operation.
  FactOperations(const HashKey& key, const FactLimits& limits) : key_(key), limits_(limits) {}

  const FactCounters& counters() const { return counters_; }

  // How many of the facts are new. Failure: Full, and nothing is added.
  Outcome<uint64_t> add(Place<FactGraph>& place, FactWords facts, const Call& call);
  // How many of the facts were there.
  Outcome<uint64_t> remove(Place<FactGraph>& place, FactWords facts, const Call& call);

  // --- looking; a graph of null has no facts ---
  // How many facts match a pattern.
  static uint64_t count(const FactGraph* graph, const FactQuestion& question);
  // The facts of a pattern, a page at a time.
  FoundFacts find(const FactGraph* graph, const FactFindRequest& request);
  // The nodes that can be reached from one, as far as FactLimits::walk_facts lets it look.
  FactWalk walk(const FactGraph* graph, const FactWalkRequest& request);

  // --- repeating ---
  // A part of a graph that was saved. Failure: Corrupt, and nothing has changed.
  Outcome<Done> apply(Place<FactGraph>& place, const Part& part, const Call& call);

 private:
  const HashKey& key_;
  const FactLimits& limits_;
  FactCounters counters_;
};

}  // namespace millrace
