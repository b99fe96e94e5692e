#include "engine/fact/fact_operations.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/fact/fact_parts.h"

namespace millrace {

namespace {

template <class Visit>
void each_text(FactWords words, Visit visit) {
  for (size_t i = 0; i + 2 < words.size(); i += 3) visit(FactText{words[i], words[i + 1], words[i + 2]});
}

// The question in numbers; nothing if it asks for a name that no fact has.
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
  Outcome<uint64_t> done(added);
  if (added == 0) return done;
  counters_.added += added;
  done.consequences.effects.add_request();
  done.consequences.events.add("fact.add");
  return done;
}

Outcome<uint64_t> FactOperations::remove(Place<FactGraph>& place, FactWords facts, const Call&) {
  Outcome<uint64_t> done(0);
  if (place.get() == nullptr) return done;
  FactGraph& graph = *place.get();
  uint64_t removed = 0;
  each_text(facts, [&](const FactText& fact) { removed += graph.remove(fact) ? 1 : 0; });
  if (removed == 0) return done;
  counters_.removed += removed;
  done.answer = removed;
  done.consequences.effects.add_request();
  done.consequences.events.add("fact.del");
  if (!graph.empty()) return done;
  place.remove();
  done.consequences.events.add("del");
  return done;
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
  // A graph that is not there yet is made only if the part is good.
  std::optional<FactGraph> made;
  FactGraph& graph = place.get() == nullptr ? made.emplace(key_) : *place.get();
  if (const auto restored = restore_part(graph, static_cast<FactPart>(part.kind), part.bytes); !restored) {
    return std::unexpected(restored.error());
  }
  if (made) place.put(std::move(*made));
  Outcome<Done> done{Done()};
  done.consequences.effects.add_request();
  done.consequences.events.add("fact.apply");
  return done;
}

}  // namespace millrace
