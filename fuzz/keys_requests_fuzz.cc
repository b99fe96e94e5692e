// The words of MILLRACE.KEYS, as a client may send them: see command_lines.h. Also the matching of its pattern with a
// name.
#include <cstddef>
#include <cstdint>

#include "engine/keys/name_pattern.h"
#include "fuzz/command_lines.h"
#include "module/keys/keys_requests.h"

namespace millrace::module {
namespace {

using fuzz::is_one_of;

void check(const KeysRequest& request, Words words) {
  REQUIRE(!request.type || *request.type < kKeyTypes);
  REQUIRE(request.count <= 10'000);
  REQUIRE(!request.after || is_one_of(*request.after, words));
  if (!request.pattern) return;
  REQUIRE(is_one_of(*request.pattern, words) && request.pattern->size() <= 1024);
  // A pattern without special characters matches exactly itself.
  const bool is_plain = request.pattern->find_first_of("*?[\\") == ByteView::npos;
  if (is_plain) REQUIRE(matches_pattern(*request.pattern, *request.pattern));
  for (const ByteView word : words) {
    const bool matches = matches_pattern(*request.pattern, word);
    REQUIRE(!is_plain || matches == (word == *request.pattern));
  }
}

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

constexpr fuzz::Command kCommands[] = {{"MILLRACE.KEYS", parse_and_check<parse_millrace_keys>}};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
