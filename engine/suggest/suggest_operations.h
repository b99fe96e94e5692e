// Everything that can be done with a dictionary of terms. A caller parses requests and carries out consequences
// (engine/operation/outcome.h); it makes no decisions of its own.
//
// A dictionary has no time, and what a request does follows from the dictionary and the request alone: so replicas and
// files are told the requests that changed something. A dictionary without terms is none: its place is emptied, on
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

  // The score that the term has now. Failure: Range, if it would be above kMaxScore; nothing has changed then.
  Outcome<double> add(Place<TermDictionary>& place, const SuggestAddRequest& request, const Call& call);
  // How many of the terms were there.
  Outcome<uint64_t> remove(Place<TermDictionary>& place, SuggestTerms terms, const Call& call);
  // Reduces all scores by this many percent. Returns how many there are.
  Outcome<uint64_t> decay(Place<TermDictionary>& place, double percent, const Call& call);

  // The best terms that begin with the prefix, the best first; then those that do with a mistake, if one is allowed.
  // They live until the next change. A dictionary of null has no terms.
  std::vector<const TermEntry*> get(const TermDictionary* dictionary, const SuggestGetRequest& request);

  // --- effects from another engine ---
  // A part of a dictionary that was saved. Failure: Corrupt, and nothing has changed.
  Outcome<Done> apply(Place<TermDictionary>& place, const Part& part, const Call& call);

 private:
  SuggestCounters counters_;
};

}  // namespace millrace
