#include "client/load/template.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

using namespace std::string_literals;
using Kind = TemplateField::Kind;

TEST(Template, AFieldIsWhatItsNameSays) {
  auto made = Template::parse("SET {name} {3} {/a/b} {line} {json} {name} {3x}");
  ASSERT_TRUE(made);
  std::vector<std::pair<std::string, Kind>> fields;
  for (const auto& field : made->fields()) fields.emplace_back(field.name, field.kind);
  EXPECT_EQ(fields, (std::vector<std::pair<std::string, Kind>>{{"name", Kind::Name},
                                                               {"3", Kind::Column},
                                                               {"/a/b", Kind::Pointer},
                                                               {"line", Kind::Line},
                                                               {"json", Kind::Json},
                                                               {"3x", Kind::Name}}));
  EXPECT_EQ(made->fields()[1].column, 3U);
}

TEST(Template, ValuesBecomeWordsAndNeverMoreThanOne) {
  const std::string_view values[] = {"a b", {"\"x\"\r\n\0", 6}};
  const struct {
    const char* name;
    const char* text;
    std::vector<std::string> words;
  } rows[] = {
      {"a literal", "PING", {"PING"}},
      {"a field is a word", "SET {1} {2}", {"SET", "a b", "\"x\"\r\n\0"s}},
      {"fields and text in one word", "SET k:{1}:{1}", {"SET", "k:a b:a b"}},
      {"quoted words", "SET \"{1} {2}\" 'a  b'", {"SET", "a b \"x\"\r\n\0"s, "a  b"}},
      {"braces", "SET {{{1}}} }}{{", {"SET", "{a b}", "}{"}},
      {"an empty word", "SET ''", {"SET", ""}},
      {"escapes of redis-cli", R"(SET "\x00{1}")", {"SET", "\0a b"s}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    auto made = Template::parse(row.text);
    ASSERT_TRUE(made) << made.error().text;
    std::vector<std::string_view> used;
    for (const auto& field : made->fields()) used.push_back(values[field.column - 1]);
    const auto& words = made->fill(used);
    EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()), row.words);
  }
}

}  // namespace
}  // namespace millrace::client
