// The words of every command of graphs of facts, as a client may send them: see command_lines.h.
#include <cstddef>
#include <cstdint>

#include "fuzz/command_lines.h"
#include "module/fact/fact_requests.h"

namespace millrace::module {
namespace {

// The name is one of the words, or the part of a word behind its =.
void check_name(ByteView name, Words words) {
  REQUIRE(!name.empty() && name.size() <= kMaxFactName);
  REQUIRE(std::ranges::any_of(words, [&](ByteView word) {
    const ByteView rest = word.starts_with('=') ? word.substr(1) : word;
    return rest.data() == name.data() && rest.size() == name.size();
  }));
}

void check_asked(const std::optional<ByteView>& name, Words words) {
  if (name) check_name(*name, words);
}

void check(const FactWords& facts, Words words) {
  REQUIRE(!facts.empty() && facts.size() % 3 == 0 && facts.size() == words.size());
  for (ByteView name : facts) REQUIRE(!name.empty() && name.size() <= kMaxFactName);
}

void check(const FactQuestion& question, Words words) {
  for (const auto& name : {question.subject, question.predicate, question.object}) check_asked(name, words);
}

void check(const FactFindRequest& request, Words words) {
  check(request.question, words);
  REQUIRE(request.limit >= 1 && request.limit <= kMaxReadCount);
  REQUIRE(!request.after || request.after->subject.is_some());
}

void check(const FactWalkRequest& request, Words words) {
  check_name(request.start, words);
  check_asked(request.predicate, words);
  check_asked(request.end, words);
  REQUIRE(request.depth >= 1 && request.limit >= 1 && request.limit <= kMaxReadCount);
}

void check(const Part& part, Words words) { REQUIRE(fuzz::is_one_of(part.bytes, words)); }

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

constexpr fuzz::Command kCommands[] = {
    {"FACT.ADD", parse_and_check<parse_fact_add>},   {"FACT.DEL", parse_and_check<parse_fact_del>},
    {"FACT.FIND", parse_and_check<parse_fact_find>}, {"FACT.COUNT", parse_and_check<parse_fact_count>},
    {"FACT.WALK", parse_and_check<parse_fact_walk>}, {"FACT.APPLY", parse_and_check<parse_fact_apply>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
