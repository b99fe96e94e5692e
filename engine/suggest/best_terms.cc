#include "engine/suggest/best_terms.h"

#include <algorithm>
#include <functional>

namespace millrace {

namespace {

// The greatest weights that terms are known to have, as many as are asked for: whatever has less than the least of them
// is not among the answers.
class KnownWeights {
 public:
  explicit KnownWeights(size_t most) : most_(most) {}

  double least() const { return weights_.size() < most_ ? -1 : weights_.back(); }

  // REQUIRES: weight >= least()
  void add(double weight) {
    if (weights_.size() == most_) weights_.pop_back();
    weights_.insert(std::ranges::upper_bound(weights_, weight, std::greater()), weight);
  }
  // One that was added, and may have been pushed out since.
  void remove(double weight) {
    const auto found = std::ranges::lower_bound(weights_, weight, std::greater());
    if (found != weights_.end() && *found == weight) weights_.erase(found);
  }

 private:
  size_t most_;
  std::vector<double> weights_;  // the greatest first
};

class BestFirst {
 public:
  BestFirst(const TermTree& tree, std::span<const std::string> prefixes, size_t most)
      : tree_(tree), prefixes_(prefixes), most_(most), known_(most) {}

  std::vector<const TermEntry*> search() {
    std::vector<const TermEntry*> best;
    if (tree_.empty() || most_ == 0) return best;
    for (uint32_t i = 0; i < prefixes_.size(); ++i) push_part(tree_.whole(), false, i);
    while (!open_.empty() && best.size() < most_) {
      std::ranges::pop_heap(open_, is_worse);
      const Candidate next = open_.back();
      open_.pop_back();
      next.entry != nullptr ? best.push_back(next.entry) : look_into(next);
    }
    return best;
  }

 private:
  // A term, or a part of the tree with terms of this weight at most.
  struct Candidate {
    double weight;
    const TermText* first;   // no term in it is before this one
    const TermEntry* entry;  // null: it is a part
    TermTree::Part part;
    bool is_counted;     // among the known weights
    uint32_t of_prefix;  // which
  };

  // Among equals, the one that comes first: so a tree of equal weights is not opened beyond what is asked for.
  static bool is_worse(const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight < b.weight : TermTraits::compare(a.first, b.first) > 0;
  }

  void look_into(const Candidate& from) {
    if (from.is_counted) known_.remove(from.weight);
    const ByteView prefix = prefixes_[from.of_prefix];
    tree_.open(
        from.part, TermBound{prefix, false}, TermBound{prefix, true},
        [&](const TermTree::Part& part, bool is_inside) { push_part(part, is_inside, from.of_prefix); },
        [&](const TermEntry& entry) {
          if (entry.weight < known_.least()) return;
          known_.add(entry.weight);
          push({entry.weight, entry.term, &entry, {}, true, from.of_prefix});
        });
  }

  void push_part(const TermTree::Part& part, bool is_inside, uint32_t of_prefix) {
    if (part.summary() < known_.least()) return;
    if (is_inside) known_.add(part.summary());
    push({part.summary(), part.first(), nullptr, part, is_inside, of_prefix});
  }

  void push(const Candidate& candidate) {
    open_.push_back(candidate);
    std::ranges::push_heap(open_, is_worse);
  }

  const TermTree& tree_;
  std::span<const std::string> prefixes_;
  size_t most_;
  KnownWeights known_;
  std::vector<Candidate> open_;  // a heap, the best on top
};

}  // namespace

std::vector<const TermEntry*> best_terms(const TermTree& tree, std::span<const std::string> prefixes, size_t most) {
  return BestFirst(tree, prefixes, most).search();
}

}  // namespace millrace
