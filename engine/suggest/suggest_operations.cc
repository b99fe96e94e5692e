#include "engine/suggest/suggest_operations.h"

#include <utility>

#include "engine/base/quoted.h"
#include "engine/operation/apply_part.h"
#include "engine/suggest/best_terms.h"
#include "engine/suggest/suggest_parts.h"

namespace millrace {

Outcome<double> SuggestOperations::add(Place<TermDictionary>& place, const SuggestAddRequest& request, const Call&) {
  const TermDictionary nothing;
  const TermDictionary& present = place.get() == nullptr ? nothing : *place.get();
  const auto before = present.weight(request.term);
  const double amount = present.weight_for(request.amount);
  const double weight = request.sets ? amount : before.value_or(0) + amount;
  const double score = present.score(weight);
  // A score that is set was checked by the parser; rounding must not make it fail here.
  if (!request.sets && score > kMaxScore) {
    return fail(ErrorCode::Range, "the score of " + quoted(request.term) + " would be above 100000000000");
  }
  ++counters_.added;
  if (before == weight) return score;
  (place.get() == nullptr ? place.put(TermDictionary()) : *place.get()).set(request.term, weight);
  return {score, Consequences::of_request("sug.add")};
}

Outcome<uint64_t> SuggestOperations::remove(Place<TermDictionary>& place, SuggestTerms terms, const Call&) {
  if (place.get() == nullptr) return 0;
  TermDictionary& dictionary = *place.get();
  uint64_t removed = 0;
  for (ByteView term : terms) removed += dictionary.remove(term) ? 1 : 0;
  if (removed == 0) return removed;
  counters_.removed += removed;
  Consequences follow = Consequences::of_request("sug.del");
  if (dictionary.empty()) {
    place.remove();
    follow.events.add("del");
  }
  return {removed, std::move(follow)};
}

Outcome<uint64_t> SuggestOperations::decay(Place<TermDictionary>& place, double percent, const Call&) {
  if (place.get() == nullptr) return 0;
  place.get()->fade(1 - percent / 100);
  return {place.get()->size(), Consequences::of_request("sug.decay")};
}

std::vector<const TermEntry*> SuggestOperations::get(const TermDictionary* dictionary,
                                                     const SuggestGetRequest& request) {
  ++counters_.asked;
  if (dictionary == nullptr) return {};
  const TermTree& terms = dictionary->terms();
  TypedPrefix without_mistake = request.prefix;
  without_mistake.allows_a_mistake = false;
  const std::vector<std::string> right = matching_prefixes(terms, without_mistake).right;
  std::vector<const TermEntry*> best = best_terms(terms, right, request.limit);
  // The search with a mistake takes longer, so it is done only if there is room for its results.
  if (best.size() < request.limit && request.prefix.allows_a_mistake) {
    // These include terms that are in `best` already. There are fewer than `limit` of those, so enough others are left.
    const std::vector<std::string> mistaken = matching_prefixes(terms, request.prefix).mistaken;
    for (const TermEntry* entry : best_terms(terms, mistaken, request.limit)) {
      if (best.size() < request.limit && !begins_with_one(right, entry->term->text())) best.push_back(entry);
    }
  }
  counters_.found += best.size();
  return best;
}

Outcome<Done> SuggestOperations::apply(Place<TermDictionary>& place, const Part& part, const Call&) {
  const auto restore = [&](TermDictionary& dictionary) {
    return restore_part(dictionary, static_cast<SuggestPart>(part.kind), part.bytes);
  };
  return apply_part(
      place, [] { return TermDictionary(); }, restore, "sug.apply");
}

}  // namespace millrace
