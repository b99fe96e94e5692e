// FACT.FIND, FACT.WALK and FACT.INFO: what is found, as RESP.
#include <iterator>
#include <vector>

#include "engine/fact/fact_cursor.h"
#include "module/fact/fact_shows.h"

namespace millrace::module {

namespace {

void write_fact(abi::Reply reply, const FactText& fact) {
  reply.array(3);
  reply.bytes(fact.subject);
  reply.bytes(fact.predicate);
  reply.bytes(fact.object);
}

// REQUIRES: there is a graph, or no facts.
void write_facts(abi::Reply reply, const FactGraph* graph, const std::vector<Fact>& facts) {
  reply.array(facts.size());
  for (const Fact& fact : facts) write_fact(reply, graph->text(fact));
}

// Why it stopped early, or null.
void write_stop(abi::Reply reply, FactWalkStop stop) {
  switch (stop) {
    case FactWalkStop::None:
      return reply.null();
    case FactWalkStop::Limit:
      return reply.bytes("limit");
    case FactWalkStop::Work:
      return reply.bytes("work");
  }
}

}  // namespace

void FactFind::show(abi::Reply reply, const Shown<FactGraph>& shown, const FactFindRequest& request) {
  const FoundFacts found = fact_operations().find(shown.object, request);
  reply.array(2);
  found.has_more ? reply.bytes(fact_cursor(found.facts.back())) : reply.null();
  write_facts(reply, shown.object, found.facts);
}

void FactWalkCommand::show(abi::Reply reply, const Shown<FactGraph>& shown, const FactWalkRequest& request) {
  const FactWalk walk = fact_operations().walk(shown.object, request);
  reply.array(2);
  write_stop(reply, walk.stop);
  if (request.end) return walk.path ? write_facts(reply, shown.object, *walk.path) : reply.null();
  reply.array(walk.nodes.size());
  for (const FactWalk::Node& node : walk.nodes) {
    reply.array(2);
    reply.bytes(shown.object->names().text(node.name));
    reply.integer(node.distance);
  }
}

void FactInfo::show(abi::Reply reply, const Shown<FactGraph>& shown, NoRequest) {
  const FactGraph missing(hash_key());
  const FactGraph& graph = shown.object == nullptr ? missing : *shown.object;
  const struct {
    const char* name;
    uint64_t value;
  } numbers[] = {
      {"facts", graph.size()},
      {"names", graph.names().size()},
      {"name-bytes", graph.names().text_bytes()},
  };
  reply.map(std::size(numbers));
  for (const auto& [field, value] : numbers) {
    reply.bytes(field);
    reply.integer(static_cast<int64_t>(value));
  }
}

}  // namespace millrace::module
