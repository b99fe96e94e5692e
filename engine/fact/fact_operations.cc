#include "engine/fact/fact_operations.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/fact/fact_parts.h"
#include "engine/operation/apply_part.h"

namespace millrace {

namespace {

template <class Visit>
void each_text(FactWords words, Visit visit) {
  for (size_t i = 0; i + 2 < words.size(); i += 3) visit(FactText{words[i], words[i + 1], words[i + 2]});
}

// The question with the numbers of its names; nullopt if one of its names is in no fact.
std::optional<FactPattern> pattern_of(const FactGraph& graph, const FactQuestion& question) {
  FactPattern pattern;
  const auto resolve = [&](const std::optional<ByteView>& text, FactName& name) {
    if (text) name = graph.names().find(*text);
    return !text || name.is_some();
  };
  const bool is_known = resolve(question.subject, pattern.subject) && resolve(question.predicate, pattern.predicate) &&
                        resolve(question.object, pattern.object);
  return is_known ? std::optional(pattern) : std::nullopt;
}

}  // namespace

Outcome<uint64_t> FactOperations::add(Place<FactGraph>& place, FactWords facts, const Call& call) {
  const uint64_t size = place.get() == nullptr ? 0 : place.get()->size();
  const uint64_t most = call.decides ? limits_.facts : kMaxFacts;
  if (facts.size() / 3 > most - std::min(most, size)) {
    return fail(ErrorCode::Full, "a graph can have " + std::to_string(most) + " facts");
  }
  FactGraph& graph = place.get() == nullptr ? place.put(FactGraph(key_)) : *place.get();
  uint64_t added = 0;
  each_text(facts, [&](const FactText& fact) { added += graph.add(fact) ? 1 : 0; });
  if (added == 0) return added;
  counters_.added += added;
  return {added, Consequences::of_request("fact.add")};
}

Outcome<uint64_t> FactOperations::remove(Place<FactGraph>& place, FactWords facts, const Call&) {
  if (place.get() == nullptr) return 0;
  FactGraph& graph = *place.get();
  uint64_t removed = 0;
  each_text(facts, [&](const FactText& fact) { removed += graph.remove(fact) ? 1 : 0; });
  if (removed == 0) return removed;
  counters_.removed += removed;
  Consequences follow = Consequences::of_request("fact.del");
  if (graph.empty()) {
    place.remove();
    follow.events.add("del");
  }
  return {removed, std::move(follow)};
}

uint64_t FactOperations::count(const FactGraph* graph, const FactQuestion& question) {
  if (graph == nullptr) return 0;
  const auto pattern = pattern_of(*graph, question);
  return pattern ? graph->count(*pattern) : 0;
}

FoundFacts FactOperations::find(const FactGraph* graph, const FactFindRequest& request) {
  FoundFacts found;
  const auto pattern = graph == nullptr ? std::nullopt : pattern_of(*graph, request.question);
  if (!pattern) return found;
  graph->each(*pattern, request.after ? &*request.after : nullptr, [&](const Fact& fact) {
    found.has_more = found.facts.size() == request.limit;
    if (!found.has_more) found.facts.push_back(fact);
    return !found.has_more;
  });
  counters_.found += found.facts.size();
  return found;
}

FactWalk FactOperations::walk(const FactGraph* graph, const FactWalkRequest& request) {
  if (graph == nullptr) return {};
  FactWalk walk = walk_facts(*graph, request, limits_.walk_facts);
  counters_.walked += walk.path ? walk.path->size() : walk.nodes.size();
  return walk;
}

Outcome<Done> FactOperations::apply(Place<FactGraph>& place, const Part& part, const Call&) {
  const auto restore = [&](FactGraph& graph) {
    return restore_part(graph, static_cast<FactPart>(part.kind), part.bytes);
  };
  return apply_part(
      place, [&] { return FactGraph(key_); }, restore, "fact.apply");
}

}  // namespace millrace
