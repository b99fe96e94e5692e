// A graph of facts: each is a subject, a predicate and an object, and exists once. Names are stored once
// (fact_names.h), facts three times as twelve bytes, in the three orders that answer every pattern (fact_order.h).
//
// Facts are ordered by the numbers of their names, which are assigned in the order in which the names were first used.
// So graphs that had the same changes have the same order, and the place of a fact never changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/digest_sink.h"
#include "engine/fact/fact_names.h"
#include "engine/fact/fact_order.h"

namespace millrace {

// A fact by its names. Borrowed from the graph, or from a request.
struct FactText {
  ByteView subject;
  ByteView predicate;
  ByteView object;
};

class FactGraph {
 public:
  explicit FactGraph(const HashKey& key) : names_(key) {}
  FactGraph(FactGraph&&) noexcept = default;

  bool empty() const { return size() == 0; }
  uint64_t size() const { return spo_.size(); }
  const FactNames& names() const { return names_; }

  // False if the fact exists already. O(log n), as removing and finding. REQUIRES: size() < kMaxFacts
  bool add(const FactText& fact);
  // False if there is no such fact.
  bool remove(const FactText& fact);
  // The fact as numbers, if it exists.
  std::optional<Fact> find(const FactText& fact) const;

  // How many facts match a pattern. O(log n).
  uint64_t count(const FactPattern& pattern) const;
  // Calls visit(fact) for each fact that matches a pattern until it returns false; only those after `after`, unless
  // that is null.
  template <class Visit>
  void each(const FactPattern& pattern, const Fact* after, Visit visit) const;

  FactText text(const Fact& fact) const {
    return {names_.text(fact.subject), names_.text(fact.predicate), names_.text(fact.object)};
  }

  // For restoring: facts by the numbers that another graph assigned.
  bool contains(const Fact& fact) const { return spo_.find(in_order(FactOrder::Spo, fact)) != nullptr; }
  void restore_name(FactName id, ByteView text) { names_.restore(id, text); }
  void use_name(FactName id) { names_.use(id); }
  // REQUIRES: the fact does not exist; the use counts of its names already include it.
  void restore(const Fact& fact);
  void set_next_name(FactName next) { names_.set_next(next); }

  size_t memory() const;
  // The approximate number of allocations.
  size_t parts() const { return 3 * spo_.leaves() + names_.size(); }
  // Frees a part; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some();

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  const FactTree& tree(FactOrder order) const {
    return order == FactOrder::Spo ? spo_ : order == FactOrder::Pos ? pos_ : osp_;
  }
  FactTree& tree(FactOrder order) { return const_cast<FactTree&>(std::as_const(*this).tree(order)); }

  FactNames names_;
  FactTree spo_;
  FactTree pos_;
  FactTree osp_;
};

// The contents of a graph, with the numbers of its names.
void digest(const FactGraph& graph, DigestSink& sink);

// The limit follows from the use counter of a name: a fact may use one name three times.
inline constexpr uint64_t kMaxFacts = UINT32_MAX / 3;

template <class Visit>
void FactGraph::each(const FactPattern& pattern, const Fact* after, Visit visit) const {
  const FactOrder order = order_for(pattern);
  const FactRange range = range_of(order, pattern);
  const OrderedFact last = after == nullptr ? range.from : in_order(order, *after);
  tree(order).each_from(std::max(range.from, last), [&](const OrderedFact& fact) {
    if (fact >= range.to) return false;
    const bool is_last = after != nullptr && fact == last;
    return is_last || visit(from_order(order, fact));
  });
}

}  // namespace millrace
