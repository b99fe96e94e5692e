#include "engine/fact/fact_graph.h"

#include <unordered_map>

namespace millrace {

namespace {

constexpr FactOrder kOrders[] = {FactOrder::Spo, FactOrder::Pos, FactOrder::Osp};

}  // namespace

std::optional<Fact> FactGraph::find(const FactText& text) const {
  const FactName subject = names_.find(text.subject);
  if (subject.is_none()) return std::nullopt;
  const FactName predicate = names_.find(text.predicate);
  if (predicate.is_none()) return std::nullopt;
  const FactName object = names_.find(text.object);
  if (object.is_none()) return std::nullopt;
  const Fact fact{subject, predicate, object};
  return contains(fact) ? std::optional(fact) : std::nullopt;
}

bool FactGraph::add(const FactText& text) {
  const Fact fact{names_.use(text.subject), names_.use(text.predicate), names_.use(text.object)};
  const OrderedFact ordered = in_order(FactOrder::Spo, fact);
  if (!spo_.insert(ordered, ordered)) {
    // The fact existed, so all its names exist.
    for (FactName name : {fact.subject, fact.predicate, fact.object}) names_.drop(name);
    return false;
  }
  for (FactOrder order : {FactOrder::Pos, FactOrder::Osp}) {
    const OrderedFact other = in_order(order, fact);
    tree(order).insert(other, other);
  }
  return true;
}

bool FactGraph::remove(const FactText& text) {
  const auto fact = find(text);
  if (!fact) return false;
  OrderedFact erased;
  for (FactOrder order : kOrders) tree(order).erase(in_order(order, *fact), erased);
  for (FactName name : {fact->subject, fact->predicate, fact->object}) names_.drop(name);
  return true;
}

void FactGraph::restore(const Fact& fact) {
  for (FactOrder order : kOrders) {
    const OrderedFact ordered = in_order(order, fact);
    tree(order).insert(ordered, ordered);
  }
}

uint64_t FactGraph::count(const FactPattern& pattern) const {
  const FactOrder order = order_for(pattern);
  const FactRange range = range_of(order, pattern);
  return tree(order).before(range.to) - tree(order).before(range.from);
}

void digest(const FactGraph& graph, DigestSink& sink) {
  sink.number(graph.names().next().value());
  graph.each({}, nullptr, [&](const Fact& fact) {
    for (FactName name : {fact.subject, fact.predicate, fact.object}) {
      sink.number(name.value());
      sink.bytes(graph.names().text(name));
    }
    return true;
  });
}

size_t FactGraph::memory() const {
  size_t bytes = sizeof(*this) + names_.memory();
  for (FactOrder order : kOrders) bytes += tree(order).memory();
  return bytes;
}

bool FactGraph::free_some() {
  const auto nothing_more = [](const OrderedFact&) {};
  for (FactOrder order : kOrders) {
    if (tree(order).free_some(nothing_more)) return true;
  }
  return names_.free_some();
}

const char* FactGraph::check() const {
  std::unordered_map<FactName, uint64_t> uses;
  const char* broken = nullptr;
  spo_.each([&](const OrderedFact& ordered) {
    const Fact fact = from_order(FactOrder::Spo, ordered);
    for (FactName name : {fact.subject, fact.predicate, fact.object}) ++uses[name];
    for (FactOrder order : {FactOrder::Pos, FactOrder::Osp}) {
      if (tree(order).find(in_order(order, fact)) == nullptr) broken = "a fact is missing in one order";
    }
  });
  if (broken != nullptr) return broken;
  for (FactOrder order : kOrders) {
    if (tree(order).size() != size()) return "one order has more facts than another";
    if (const char* reason = tree(order).check()) return reason;
  }
  if (uses.size() != names_.size()) return "a name that no fact uses";
  return names_.check([&](FactName name) { return uses.contains(name) ? uses.at(name) : 0; });
}

}  // namespace millrace
