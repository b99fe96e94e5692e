// JSON: our scanner accepts the same texts as simdjson, and the value at a pointer is JSON itself.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "client/load/json_scanner.h"
#include "fuzz/require.h"

namespace {

using namespace millrace::client;

// Newer versions of simdjson have an error of its own for integers beyond 64 bits.
template <class Code>
bool is_large_integer(Code error) {
  if constexpr (requires { Code::BIGINT_ERROR; }) return error == Code::BIGINT_ERROR;
  return false;
}

// simdjson has limits that JSON does not have: the size of numbers, the depth, and halves of surrogate pairs.
bool is_a_limit(simdjson::error_code error) {
  return is_large_integer(error) || error == simdjson::NUMBER_ERROR || error == simdjson::DEPTH_ERROR ||
         error == simdjson::STRING_ERROR || error == simdjson::CAPACITY || error == simdjson::MEMALLOC;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  JsonScanner scanner({{}, {"a"}, {"0"}, {"a", "b"}, {"a", "0", "c"}});
  const bool is_ours = scanner.scan(text).has_value();
  static simdjson::dom::parser parser;
  const auto theirs = parser.parse(simdjson::padded_string(text)).error();
  REQUIRE(is_ours || theirs != simdjson::SUCCESS);
  REQUIRE(!is_ours || theirs == simdjson::SUCCESS || is_a_limit(theirs));
  if (!is_ours) return 0;

  REQUIRE(scanner.found(0).has_value());
  for (size_t i = 0; i < 5; ++i) {
    if (!scanner.found(i)) continue;
    const std::string value(*scanner.found(i));
    REQUIRE(JsonScanner({}).scan(value).has_value());
    REQUIRE(value.find_first_of(" \t\r\n") != 0);
    std::string unescaped;
    if (value.front() == '"') (void)append_unescaped(unescaped, std::string_view(value).substr(1, value.size() - 2));
    REQUIRE(unescaped.size() <= value.size());
  }
  return 0;
}
