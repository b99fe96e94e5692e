// The words of the commands of dictionaries become requests of the engine, or the first error: one parser for each
// command. They do not depend on the host, so they are tested and fuzzed without one. The views in a request are
// borrowed from the words.
#pragma once

#include "engine/base/error.h"
#include "engine/base/parts.h"
#include "engine/suggest/suggest_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// The most terms in one answer.
inline constexpr uint64_t kMaxSuggestions = 10'000;

// SUG.ADD dictionary term [INCR n | SCORE n]
Result<SuggestAddRequest> parse_sug_add(Words words);

// SUG.GET dictionary prefix [LIMIT n] [FUZZY] [WITHSCORES] [NOCASE]
Result<SuggestGetRequest> parse_sug_get(Words words);

// SUG.DEL dictionary term [term ...]
Result<SuggestTerms> parse_sug_del(Words words);

// SUG.DECAY dictionary percent
Result<double> parse_sug_decay(Words words);

// SUG.APPLY dictionary TERMS bytes
Result<Part> parse_sug_apply(Words words);

}  // namespace millrace::module
