// The words of every command of dictionaries of terms, as a client may send them: see command_lines.h.
#include <cstddef>
#include <cstdint>

#include "engine/suggest/term_dictionary.h"
#include "fuzz/command_lines.h"
#include "module/suggest/suggest_requests.h"

namespace millrace::module {
namespace {

void check_term(ByteView term, Words words) {
  REQUIRE(fuzz::is_one_of(term, words));
  REQUIRE(!term.empty() && term.size() <= kMaxTerm);
}

void check(const SuggestAddRequest& request, Words words) {
  check_term(request.term, words);
  REQUIRE(request.amount >= 0 && request.amount <= kMaxScore);
}

void check(const SuggestGetRequest& request, Words words) {
  REQUIRE(fuzz::is_one_of(request.prefix.text, words) && request.prefix.text.size() <= kMaxTerm);
  REQUIRE(request.limit >= 1 && request.limit <= kMaxSuggestions);
}

void check(const SuggestTerms& terms, Words words) {
  REQUIRE(!terms.empty());
  for (ByteView term : terms) check_term(term, words);
}

void check(const double& percent, Words) { REQUIRE(percent >= kLeastDecay && percent <= kMostDecay); }

void check(const Part& part, Words words) { REQUIRE(fuzz::is_one_of(part.bytes, words)); }

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

constexpr fuzz::Command kCommands[] = {
    {"SUG.ADD", parse_and_check<parse_sug_add>},     {"SUG.GET", parse_and_check<parse_sug_get>},
    {"SUG.DEL", parse_and_check<parse_sug_del>},     {"SUG.DECAY", parse_and_check<parse_sug_decay>},
    {"SUG.APPLY", parse_and_check<parse_sug_apply>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
