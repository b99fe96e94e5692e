// A dictionary of terms with scores: the best terms that begin with a prefix are found without looking at the others.
//
// All scores decay together. A term stores a weight, which decay does not change: its score is the weight times one
// common factor, which gets smaller. So decay is O(1) and keeps the order of all terms. It is exact on replicas, which
// do the same arithmetic: one multiplication, or one division and one addition, per step.
//
//   SCORE 5      weight = 5 / factor          fade 10 %    factor = factor * 0.9
//   INCR 1       weight += 1 / factor         score        weight * factor
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/base/digest_sink.h"
#include "engine/suggest/term.h"

namespace millrace {

// The greatest score.
inline constexpr double kMaxScore = 1e11;
// When the factor is this small, all weights are multiplied by it and it becomes 1 again, so that weights do not exceed
// the range of a double. That takes O(n), once in 900 halvings.
inline constexpr double kLeastFactor = 0x1p-900;

class TermDictionary {
 public:
  TermDictionary() = default;
  TermDictionary(TermDictionary&& other) noexcept = default;
  TermDictionary& operator=(TermDictionary&&) = delete;
  ~TermDictionary();

  bool empty() const { return terms_.empty(); }
  uint64_t size() const { return terms_.size(); }
  // The bytes of all terms.
  uint64_t text_bytes() const { return text_bytes_; }
  const TermTree& terms() const { return terms_; }

  // nullopt if there is no such term. O(log n), as set() and remove().
  std::optional<double> weight(ByteView term) const;
  double factor() const { return factor_; }
  double score(double weight) const { return weight * factor_; }
  double weight_for(double score) const { return score / factor_; }
  // The best score of all terms; 0 if there are none.
  double best() const { return score(terms_.summary()); }

  // Adds the term if it is missing. REQUIRES: it has 1 to kMaxTerm bytes; 0 <= score(weight), about kMaxScore at most
  void set(ByteView term, double weight);
  // False if there was no such term.
  bool remove(ByteView term);
  // Multiplies all scores. REQUIRES: 0 < by < 1
  void fade(double by);

  // For restoring. REQUIRES: the dictionary is empty; kLeastFactor <= factor <= 1
  void restore_factor(double factor) { factor_ = factor; }

  size_t memory() const { return sizeof(*this) + terms_.memory() + term_bytes_; }
  // The approximate number of allocations.
  size_t parts() const { return terms_.size() + terms_.leaves(); }
  // Frees a part; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some();

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  TermTree terms_;
  double factor_ = 1;
  uint64_t text_bytes_ = 0;
  size_t term_bytes_ = 0;  // allocated by terms
};

// The exact contents of a dictionary, including every bit of its weights.
void digest(const TermDictionary& dictionary, DigestSink& sink);

}  // namespace millrace
