// A dictionary of terms with scores: the best terms that begin with a prefix are found without looking at the others.
//
// All scores fade together. They are kept as weights, which do not change then: a score is its term's weight times one
// factor, which gets smaller. So fading takes no time, keeps the order of all terms, and is exact on replicas, which do
// the same arithmetic: one multiplication, or one division and an addition, never more in one step.
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
// When the factor has become so small, weights are multiplied by it once: they are numbers of 64 bits and must not
// become too large for them. That takes O(n), after 900 halvings.
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

  // Nothing if there is no such term. O(log n), as set() and remove().
  std::optional<double> weight(ByteView term) const;
  double factor() const { return factor_; }
  double score(double weight) const { return weight * factor_; }
  double weight_for(double score) const { return score / factor_; }
  // The best score there is; 0 if there is no term.
  double best() const { return score(terms_.summary()); }

  // Adds the term if it is missing. REQUIRES: it has 1 to kMaxTerm bytes; 0 <= score(weight), about kMaxScore at most
  void set(ByteView term, double weight);
  // False if it was not there.
  bool remove(ByteView term);
  // Multiplies all scores. REQUIRES: 0 < by < 1
  void fade(double by);

  // Putting it together again. REQUIRES: it is empty; kLeastFactor <= factor <= 1
  void restore_factor(double factor) { factor_ = factor; }

  size_t memory() const { return sizeof(*this) + terms_.memory() + term_bytes_; }
  // How many allocations it has, about.
  size_t parts() const { return terms_.size() + terms_.leaves(); }
  // Frees a part; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some();

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  TermTree terms_;
  double factor_ = 1;
  uint64_t text_bytes_ = 0;
  size_t term_bytes_ = 0;  // of the allocations of terms
};

// What a dictionary holds, to the last bit of its weights.
void digest(const TermDictionary& dictionary, DigestSink& sink);

}  // namespace millrace
