#include "module/fact/fact_requests.h"

#include <string>

#include "engine/fact/fact_cursor.h"
#include "engine/fact/fact_parts.h"
#include "module/words/part_words.h"

namespace millrace::module {

namespace {

Result<FactWords> parse_facts(Words words) {
  constexpr const char* kParts[] = {"subject", "predicate", "object"};
  ArgumentReader reader(words);
  for (size_t i = 0; i == 0 || i % 3 != 0 || !reader.at_end(); ++i) {
    if (reader.failed()) break;
    reader.name(kParts[i % 3], kMaxFactName);
  }
  return reader.finish(words);
}

// The next word as a name in a question.
ByteView asked_name(ArgumentReader& reader, const char* what) {
  const ByteView word = reader.word(what);
  const bool is_escaped = word.starts_with('=');
  const ByteView name = is_escaped ? word.substr(1) : word;
  if (!reader.failed() && (name.empty() || name.size() > kMaxFactName)) {
    reader.fail(ErrorCode::Range, std::string("the ") + what + " has " + std::to_string(name.size()) +
                                      " bytes, expected 1 to " + std::to_string(kMaxFactName));
  }
  return name;
}

std::optional<ByteView> name_or_any(ArgumentReader& reader, const char* what) {
  if (reader.keyword("*")) return std::nullopt;
  return asked_name(reader, what);
}

// Where a walk begins or ends.
ByteView node(ArgumentReader& reader, const char* what) {
  if (reader.keyword("*")) {
    reader.fail(ErrorCode::Syntax, std::string("the ") + what + " must be one name; the name * is written =*");
  }
  return asked_name(reader, what);
}

FactQuestion question(ArgumentReader& reader) {
  FactQuestion asked;
  asked.subject = name_or_any(reader, "subject");
  asked.predicate = name_or_any(reader, "predicate");
  asked.object = name_or_any(reader, "object");
  return asked;
}

}  // namespace

Result<FactWords> parse_fact_add(Words words) { return parse_facts(words); }
Result<FactWords> parse_fact_del(Words words) { return parse_facts(words); }

Result<FactFindRequest> parse_fact_find(Words words) {
  ArgumentReader reader(words);
  FactFindRequest request;
  request.question = question(reader);
  bool limit = false;
  bool after = false;
  while (!reader.at_end()) {
    if (reader.option("LIMIT", limit)) {
      request.limit = reader.number("LIMIT", 1, kMaxReadCount);
    } else if (reader.option("AFTER", after)) {
      const ByteView cursor = reader.word("AFTER cursor");
      request.after = parse_fact_cursor(cursor);
      if (!request.after) {
        reader.fail(ErrorCode::Syntax,
                    "invalid AFTER cursor " + quoted(cursor) + ": expected one that FACT.FIND returned");
      }
    } else {
      reader.unknown_word("LIMIT or AFTER");
    }
  }
  return reader.finish(request);
}

Result<FactQuestion> parse_fact_count(Words words) {
  ArgumentReader reader(words);
  return reader.finish(question(reader));
}

Result<FactWalkRequest> parse_fact_walk(Words words) {
  ArgumentReader reader(words);
  FactWalkRequest request;
  request.start = node(reader, "start");
  request.predicate = name_or_any(reader, "predicate");
  bool depth = false;
  bool limit = false;
  bool to = false;
  while (!reader.at_end()) {
    if (reader.option("REV", request.is_reverse)) continue;
    if (reader.option("DEPTH", depth)) {
      request.depth = static_cast<uint32_t>(reader.number("DEPTH", 1, UINT32_MAX));
    } else if (reader.option("LIMIT", limit)) {
      request.limit = reader.number("LIMIT", 1, kMaxReadCount);
    } else if (reader.option("TO", to)) {
      request.end = node(reader, "end");
    } else {
      reader.unknown_word("REV, DEPTH, LIMIT or TO");
    }
  }
  if (limit && to) reader.fail(ErrorCode::Syntax, "LIMIT and TO exclude each other");
  return reader.finish(request);
}

Result<Part> parse_fact_apply(Words words) {
  ArgumentReader reader(words);
  const auto part = read_part(reader, kFactParts);
  if (!part) reader.unknown_word("FACTS");
  return reader.finish(part.value_or(Part()));
}

}  // namespace millrace::module
