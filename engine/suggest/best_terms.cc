#include "engine/suggest/best_terms.h"

#include <algorithm>
#include <functional>

namespace millrace {

namespace {

// The greatest known weights of terms, as many as requested: a term with less than the least of them is not among the
// answers.
class KnownWeights {
 public:
  explicit KnownWeights(size_t most) : most_(most) {}

  double least() const { return weights_.size() < most_ ? -1 : weights_.back(); }

  // REQUIRES: weight >= least()
  void add(double weight) {
    if (weights_.size() == most_) weights_.pop_back();
    weights_.insert(std::ranges::upper_bound(weights_, weight, std::greater()), weight);
  }
  // Removes a weight that was added, and may have been pushed out since.
  void remove(double weight) {
    const auto found = std::ranges::lower_bound(weights_, weight, std::greater());
    if (found != weights_.end() && *found == weight) weights_.erase(found);
  }

 private:
  size_t most_;
  std::vector<double> weights_;  // the greatest first
};

// For one opened part, whose terms come in order. Once enough terms are found with at least the least known weight,
// later terms of that weight are not among the answers. So if all weights are equal, few terms are looked at.
class Ties {
 public:
  explicit Ties(size_t most) : most_(most) {}

  bool are_enough(double weight, double least) {
    if (weight != least) return false;
    if (weight_ != weight) count_ = 0;
    weight_ = weight;
    return count_ >= most_;
  }
  void count(double weight) { count_ += weight >= weight_ ? 1 : 0; }

 private:
  size_t most_;
  double weight_ = -1;
  size_t count_ = 0;  // how many terms have this weight or more; may be too low
};

class BestFirst {
 public:
  BestFirst(const TermTree& tree, std::span<const std::string> prefixes, size_t most)
      : tree_(tree), prefixes_(prefixes), most_(most), known_(most) {}

  std::vector<const TermEntry*> search() {
    std::vector<const TermEntry*> best;
    if (tree_.empty() || most_ == 0) return best;
    const TermTree::Part whole = tree_.whole();
    for (uint32_t i = 0; i < prefixes_.size(); ++i) push({whole.summary(), whole.first(), nullptr, whole, i});
    while (!open_.empty() && best.size() < most_) {
      std::ranges::pop_heap(open_, is_worse);
      const Candidate next = open_.back();
      open_.pop_back();
      next.entry != nullptr ? best.push_back(next.entry) : look_into(next);
    }
    return best;
  }

 private:
  // A term, or a part of the tree whose terms have at most this weight.
  struct Candidate {
    double weight;
    const TermText* first;   // its first term
    const TermEntry* entry;  // null: a part of the tree
    TermTree::Part part;
    uint32_t of_prefix;  // index of its prefix
  };

  // Among equal weights, the earlier one is better. So a tree of equal weights is not opened further than requested.
  static bool is_worse(const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight < b.weight : TermTraits::compare(a.first, b.first) > 0;
  }

  void look_into(const Candidate& from) {
    // The part was counted among the known weights; from now on its contents are counted instead.
    if (from.part.is_inside()) known_.remove(from.weight);
    const ByteView prefix = prefixes_[from.of_prefix];
    Ties ties(most_);
    const auto is_out = [&](double weight) {
      const double least = known_.least();
      return weight < least || ties.are_enough(weight, least);
    };
    const auto count = [&](double weight) {
      known_.add(weight);
      ties.count(weight);
    };
    tree_.open(
        from.part, TermBound{prefix, false}, TermBound{prefix, true},
        [&](const TermTree::Part& part) {
          if (is_out(part.summary())) return;
          push({part.summary(), part.first(), nullptr, part, from.of_prefix});
          if (part.is_inside()) count(part.summary());
        },
        [&](const TermEntry& entry) {
          if (is_out(entry.weight)) return;
          push({entry.weight, entry.term, &entry, {}, from.of_prefix});
          count(entry.weight);
        });
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
