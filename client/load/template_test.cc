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
    const auto& words = made->fill(used).front();
    EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()), row.words);
  }
}

TEST(Template, AFieldSaysHowItIsUsed) {
  auto made = Template::parse("SET {age?} {age|0} {/a:b:06d} {n|-1:4d} {a:b} {?} {|} {name|}");
  ASSERT_TRUE(made) << made.error().text;
  const auto& fields = made->fields();
  EXPECT_TRUE(fields[0].is_optional && fields[0].name == "age");
  EXPECT_TRUE(fields[1].fallback == "0" && fields[1].name == "age");
  EXPECT_TRUE(fields[2].padding == (TemplateField::Padding{6, '0'}) && fields[2].name == "/a:b");
  EXPECT_TRUE(fields[3].padding == (TemplateField::Padding{4, ' '}) && fields[3].fallback == "-1");
  EXPECT_TRUE(!fields[4].may_be_missing() && fields[4].name == "a:b");
  EXPECT_TRUE(!fields[5].may_be_missing() && fields[5].name == "?");
  EXPECT_TRUE(!fields[6].may_be_missing() && fields[6].name == "|");
  EXPECT_TRUE(fields[7].fallback == "" && fields[7].name == "name");
  EXPECT_FALSE(Template::parse("SET {a:01001d}"));
}

TEST(Template, AMissingValueTakesItsNameWithIt) {
  const struct {
    const char* text;
    std::vector<std::string> words;  // none: the command is left out
  } rows[] = {
      {"HSET k name {a} age {b?}", {"HSET", "k", "name", "x"}},
      {"HSET k age {b?} name {a}", {"HSET", "k", "name", "x"}},
      {"HSET k {a} {b?}", {"HSET", "k", "x"}},
      {"HSET k age {b?}", {}},
      {"SADD k {b?}", {}},
      {"SET k {a} EX {b?}", {"SET", "k", "x"}},
      {"RPUSH k {a} n:{b?}:{a}", {"RPUSH", "k", "x"}},
      {"PING", {"PING"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    auto made = Template::parse(row.text);
    ASSERT_TRUE(made);
    std::vector<std::string_view> values;
    for (const auto& field : made->fields()) values.push_back(field.is_optional ? Template::kMissing : "x");
    const auto commands = made->fill(values);
    ASSERT_EQ(commands.size(), row.words.empty() ? 0U : 1U);
    if (commands.empty()) continue;
    EXPECT_EQ(std::vector<std::string>(commands[0].begin(), commands[0].end()), row.words);
  }
}

TEST(Template, ANumberIsPadded) {
  const struct {
    const char* field;
    const char* number;
    const char* padded;  // null: the value is refused
  } rows[] = {
      {"n:06d", "42", "000042"}, {"n:06d", "-42", "-00042"}, {"n:6d", "-42", "   -42"}, {"n:02d", "12345", "12345"},
      {"n:03d", "+7", "007"},    {"n:03d", "4.5", nullptr},  {"n:03d", "", nullptr},    {"n:03d", "x", nullptr},
      {"n:0d", "5", "5"},        {"n:03d", "-", nullptr},
  };
  for (const auto& row : rows) {
    const auto field = TemplateField::parse(row.field);
    ASSERT_TRUE(field);
    std::string padded;
    const auto done = pad(padded, row.number, *field);
    ASSERT_EQ(done.has_value(), row.padded != nullptr) << row.number;
    EXPECT_TRUE(row.padded == nullptr || padded == row.padded) << padded;
  }
}

}  // namespace
}  // namespace millrace::client
