#include "module/suggest/suggest_requests.h"

#include <charconv>
#include <string>
#include <system_error>

#include "engine/suggest/suggest_parts.h"
#include "module/words/part_words.h"

namespace millrace::module {

namespace {

ByteView next_term(ArgumentReader& reader) { return reader.name("term", kMaxTerm); }

// The next word as a decimal number; `range` is the text of the allowed range, for the error.
double decimal(ArgumentReader& reader, const char* what, double min, double max, const char* range) {
  const ByteView word = reader.word(what);
  double value = min;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_whole = problem == std::errc() && end == word.data() + word.size();
  // NaN is in no range.
  if (!reader.failed() && !(is_whole && value >= min && value <= max)) {
    reader.fail(ErrorCode::Range,
                std::string("invalid ") + what + " " + quoted(word) + ": expected a number from " + range);
  }
  return value;
}

}  // namespace

Result<SuggestAddRequest> parse_sug_add(Words words) {
  ArgumentReader reader(words);
  SuggestAddRequest request;
  request.term = next_term(reader);
  bool is_given = false;
  while (!reader.at_end()) {
    const bool sets = reader.keyword("SCORE");
    if (!sets && !reader.keyword("INCR")) {
      reader.unknown_word("INCR or SCORE");
    } else if (is_given) {
      reader.fail(ErrorCode::Syntax, "INCR and SCORE can be given once, and exclude each other");
    } else {
      is_given = true;
      request.sets = sets;
      request.amount = decimal(reader, sets ? "SCORE" : "INCR", 0, kMaxScore, "0 to 100000000000");
    }
  }
  return reader.finish(request);
}

Result<SuggestGetRequest> parse_sug_get(Words words) {
  ArgumentReader reader(words);
  SuggestGetRequest request;
  request.prefix.text = reader.word("prefix");
  if (request.prefix.text.size() > kMaxTerm) {
    reader.fail(ErrorCode::Range, "the prefix has " + std::to_string(request.prefix.text.size()) +
                                      " bytes, expected 0 to " + std::to_string(kMaxTerm));
  }
  bool limit = false;
  while (!reader.at_end()) {
    if (reader.option("LIMIT", limit)) {
      request.limit = reader.number("LIMIT", 1, kMaxSuggestions);
    } else if (!reader.option("FUZZY", request.prefix.allows_a_mistake) &&
               !reader.option("WITHSCORES", request.with_scores) &&
               !reader.option("NOCASE", request.prefix.ignores_case)) {
      reader.unknown_word("LIMIT, FUZZY, WITHSCORES or NOCASE");
    }
  }
  return reader.finish(request);
}

Result<SuggestTerms> parse_sug_del(Words words) {
  ArgumentReader reader(words);
  do {
    next_term(reader);
  } while (!reader.at_end());
  return reader.finish(words);
}

Result<double> parse_sug_decay(Words words) {
  ArgumentReader reader(words);
  return reader.finish(decimal(reader, "percent", kLeastDecay, kMostDecay, "0.001 to 99.999"));
}

Result<Part> parse_sug_apply(Words words) {
  ArgumentReader reader(words);
  const auto part = read_part(reader, kSuggestParts);
  if (!part) reader.unknown_word("TERMS");
  return reader.finish(part.value_or(Part()));
}

}  // namespace millrace::module
