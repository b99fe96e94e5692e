// The facts of a graph, as numbers, sorted by their three names in one sequence. A graph has three such orders. With
// them, every pattern is one range of one order:
//
//   order   s p o      p o s      o s p
//   asked   s . .      . p .      . . o
//           s p .      . p o      s . o
//           s p o
//           . . .
#pragma once

#include <compare>
#include <cstdint>

#include "engine/base/summary_tree.h"
#include "engine/fact/fact_names.h"

namespace millrace {

struct Fact {
  FactName subject;
  FactName predicate;
  FactName object;

  friend constexpr auto operator<=>(const Fact&, const Fact&) = default;
};

// A pattern; none() matches any name.
using FactPattern = Fact;

// The names of a fact in the sequence of an order.
struct OrderedFact {
  FactName first;
  FactName second;
  FactName third;

  friend constexpr auto operator<=>(const OrderedFact&, const OrderedFact&) = default;
};

struct OrderedFactTraits {
  using Handle = OrderedFact;
  static const Handle& handle_of(const OrderedFact& fact) { return fact; }
  static auto compare(const Handle& fact, const OrderedFact& key) { return fact <=> key; }

  using Summary = uint64_t;  // number of facts
  static Summary of(const OrderedFact&) { return 1; }
  static Summary join(Summary a, Summary b) { return a + b; }
};

using FactTree = SummaryTree<OrderedFact, OrderedFactTraits>;

enum class FactOrder : uint8_t { Spo, Pos, Osp };

constexpr OrderedFact in_order(FactOrder order, const Fact& fact) {
  switch (order) {
    case FactOrder::Spo:
      return {fact.subject, fact.predicate, fact.object};
    case FactOrder::Pos:
      return {fact.predicate, fact.object, fact.subject};
    case FactOrder::Osp:
      return {fact.object, fact.subject, fact.predicate};
  }
  return {};
}

constexpr Fact from_order(FactOrder order, const OrderedFact& fact) {
  switch (order) {
    case FactOrder::Spo:
      return {fact.first, fact.second, fact.third};
    case FactOrder::Pos:
      return {fact.third, fact.first, fact.second};
    case FactOrder::Osp:
      return {fact.second, fact.third, fact.first};
  }
  return {};
}

// The order in which the facts of a pattern are one range.
constexpr FactOrder order_for(const FactPattern& pattern) {
  if (pattern.predicate.is_some() && pattern.subject.is_none()) return FactOrder::Pos;
  if (pattern.object.is_some() && pattern.predicate.is_none()) return FactOrder::Osp;
  return FactOrder::Spo;
}

// The facts in [from, to).
struct FactRange {
  OrderedFact from;
  OrderedFact to;
};

constexpr FactRange range_of(FactOrder order, const FactPattern& pattern) {
  OrderedFact from = in_order(order, pattern);
  OrderedFact to = from;
  // No name has the number none(), so a name's number plus one does not overflow.
  const auto beyond = [](FactName name) { return FactName(name.value() + 1); };
  const FactName least(0);
  if (from.first.is_none()) return {{least, least, least}, {}};
  if (from.second.is_none()) {
    from.second = from.third = to.second = to.third = least;
    to.first = beyond(to.first);
  } else if (from.third.is_none()) {
    from.third = to.third = least;
    to.second = beyond(to.second);
  } else {
    to.third = beyond(to.third);
  }
  return {from, to};
}

}  // namespace millrace
