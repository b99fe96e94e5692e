// All operations on a dictionary of terms. A caller parses requests and carries out consequences
// (engine/operation/outcome.h); it makes no decisions of its own.
//
// A dictionary has no time: the result of a request depends only on the dictionary and the request. So replicas and
// files get the requests that changed something. A dictionary without terms does not exist: its place is emptied, on
// replicas too.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/parts.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"
#include "engine/suggest/suggest_requests.h"
#include "engine/suggest/term_dictionary.h"

namespace millrace {

// What operations on dictionaries have done since the process started. Not saved.
struct SuggestCounters {
  uint64_t added = 0;    // terms scored, new or not
  uint64_t removed = 0;  // terms
  uint64_t asked = 0;    // prefixes
  uint64_t found = 0;    // terms in answers
};

class SuggestOperations {
 public:
  const SuggestCounters& counters() const { return counters_; }

  // Returns the new score of the term. Failure: Range, without any change, if it would be above kMaxScore.
  Outcome<double> add(Place<TermDictionary>& place, const SuggestAddRequest& request, const Call& call);
  // Returns how many of the terms existed.
  Outcome<uint64_t> remove(Place<TermDictionary>& place, SuggestTerms terms, const Call& call);
  // Reduces all scores by this many percent. Returns how many there are.
  Outcome<uint64_t> decay(Place<TermDictionary>& place, double percent, const Call& call);

  // The best terms that begin with the prefix, the best first; then those that match with one mistake, if that is
  // allowed. The entries are valid until the next change. A null dictionary has no terms.
  std::vector<const TermEntry*> get(const TermDictionary* dictionary, const SuggestGetRequest& request);

  // --- effects from another engine ---
  // Applies a saved part of a dictionary. Failure: Corrupt, without any change.
  Outcome<Done> apply(Place<TermDictionary>& place, const Part& part, const Call& call);

 private:
  SuggestCounters counters_;
};

}  // namespace millrace
