#include "module/keys/keys_requests.h"

#include <algorithm>
#include <string>

#include "engine/keys/key_type_names.h"

namespace millrace::module {

namespace {

constexpr uint64_t kMostKeys = 10'000;
// A longer one could make a page slow.
constexpr size_t kLongestPattern = 1024;

std::optional<KeyType> read_type(ArgumentReader& reader) {
  const ByteView word = reader.word("TYPE");
  for (size_t type = 0; type < kKeyTypes; ++type) {
    std::string upper(kKeyTypeNames[type]);
    std::ranges::transform(upper, upper.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    if (is_keyword(word, upper)) return static_cast<KeyType>(type);
  }
  if (!reader.failed()) {
    reader.fail(ErrorCode::Syntax,
                "invalid TYPE " + quoted(word) + ": expected log, channel, pool, lock, route, index, fact or suggest");
  }
  return std::nullopt;
}

ByteView read_pattern(ArgumentReader& reader) {
  const ByteView pattern = reader.word("MATCH");
  if (!reader.failed() && pattern.size() > kLongestPattern) {
    reader.fail(ErrorCode::Range, "the pattern has " + std::to_string(pattern.size()) + " bytes, expected at most " +
                                      std::to_string(kLongestPattern));
  }
  return pattern;
}

}  // namespace

Result<KeysRequest> parse_millrace_keys(Words words) {
  ArgumentReader reader(words);
  KeysRequest request;
  bool type = false;
  bool match = false;
  bool cursor = false;
  bool count = false;
  while (!reader.at_end()) {
    if (reader.option("TYPE", type)) {
      request.type = read_type(reader);
    } else if (reader.option("MATCH", match)) {
      request.pattern = read_pattern(reader);
    } else if (reader.option("CURSOR", cursor)) {
      request.after = reader.word("CURSOR");
    } else if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 0, kMostKeys);
    } else if (!reader.option("WITHINFO", request.with_info)) {
      reader.unknown_word("TYPE, MATCH, CURSOR, COUNT or WITHINFO");
    }
  }
  return reader.finish(request);
}

}  // namespace millrace::module
