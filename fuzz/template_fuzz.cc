// Templates, and with them the quoting of redis-cli: a template makes the words that it describes, and values stay
// unchanged.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/load/command_line.h"
#include "client/load/template.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace::client;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto words = split_command_line(text);
  size_t length = 0;
  if (words) {
    for (const std::string& word : *words) length += word.size();
    REQUIRE(length <= text.size());
  }
  auto made = Template::parse(text);
  if (!made) {
    REQUIRE(!made.error().text.empty());
    return 0;
  }
  REQUIRE(words && !words->empty());
  const std::string value = "a \"b\" {c}\r\n";
  const std::vector<std::string_view> values(made->fields().size(), value);
  const auto commands = made->fill(values);
  REQUIRE(commands.size() == 1);
  const auto& filled = commands.front();
  REQUIRE(filled.size() == words->size());
  for (size_t i = 0; i < filled.size(); ++i) {
    const std::string& word = (*words)[i];
    // A word without braces stays as it is; a word that is one field becomes its value.
    if (word.find_first_of("{}") == word.npos) REQUIRE(filled[i] == word);
    if (word.starts_with('{') && word.find('{', 1) == word.npos && word.find('}') == word.size() - 1) {
      REQUIRE(filled[i] == value);
    }
  }
  return 0;
}
