#include "engine/suggest/suggest_operations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/quoted.h"
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
  // A score that is set is in the range, however it is rounded.
  if (!request.sets && score > kMaxScore) {
    return fail(ErrorCode::Range, "the score of " + quoted(request.term) + " would be above 100000000000");
  }
  Outcome<double> done(score);
  ++counters_.added;
  if (before == weight) return done;
  (place.get() == nullptr ? place.put(TermDictionary()) : *place.get()).set(request.term, weight);
  done.consequences.effects.add_request();
  done.consequences.events.add("sug.add");
  return done;
}

Outcome<uint64_t> SuggestOperations::remove(Place<TermDictionary>& place, SuggestTerms terms, const Call&) {
  Outcome<uint64_t> done(0);
  if (place.get() == nullptr) return done;
  TermDictionary& dictionary = *place.get();
  uint64_t removed = 0;
  for (ByteView term : terms) removed += dictionary.remove(term) ? 1 : 0;
  if (removed == 0) return done;
  counters_.removed += removed;
  done.answer = removed;
  done.consequences.effects.add_request();
  done.consequences.events.add("sug.del");
  if (!dictionary.empty()) return done;
  place.remove();
  done.consequences.events.add("del");
  return done;
}

Outcome<uint64_t> SuggestOperations::decay(Place<TermDictionary>& place, double percent, const Call&) {
  Outcome<uint64_t> done(0);
  if (place.get() == nullptr) return done;
  place.get()->fade(1 - percent / 100);
  done.answer = place.get()->size();
  done.consequences.effects.add_request();
  done.consequences.events.add("sug.decay");
  return done;
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
  // A mistake is looked for only if there is room for what it finds: that takes longer.
  if (best.size() < request.limit && request.prefix.allows_a_mistake) {
    const auto is_right = [&](const TermEntry* entry) {
      return std::ranges::any_of(right, [&](const auto& prefix) { return entry->term->text().starts_with(prefix); });
    };
    // Fewer are right than asked for, so among these are enough others.
    const std::vector<std::string> mistaken = matching_prefixes(terms, request.prefix).mistaken;
    for (const TermEntry* entry : best_terms(terms, mistaken, request.limit)) {
      if (best.size() < request.limit && !is_right(entry)) best.push_back(entry);
    }
  }
  counters_.found += best.size();
  return best;
}

Outcome<Done> SuggestOperations::apply(Place<TermDictionary>& place, const Part& part, const Call&) {
  // A dictionary that is not there yet is made only if the part is good.
  std::optional<TermDictionary> made;
  TermDictionary& dictionary = place.get() == nullptr ? made.emplace() : *place.get();
  if (const auto restored = restore_part(dictionary, static_cast<SuggestPart>(part.kind), part.bytes); !restored) {
    return std::unexpected(restored.error());
  }
  if (made) place.put(std::move(*made));
  Outcome<Done> done{Done()};
  done.consequences.effects.add_request();
  done.consequences.events.add("sug.apply");
  return done;
}

}  // namespace millrace
