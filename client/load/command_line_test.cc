#include "client/load/command_line.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

using namespace std::string_literals;

TEST(CommandLine, WordsArePartedAndUnquotedAsInRedisCli) {
  const struct {
    const char* name;
    std::string line;
    std::vector<std::string> words;
  } rows[] = {
      {"nothing", "", {}},
      {"spaces", " \t ", {}},
      {"words", "SET a b", {"SET", "a", "b"}},
      {"spaces around and between", "  SET \t a  ", {"SET", "a"}},
      {"double quotes", "SET \"a b\"", {"SET", "a b"}},
      {"single quotes", "SET 'a b'", {"SET", "a b"}},
      {"empty words", "SET \"\" ''", {"SET", "", ""}},
      {"escapes in double quotes", R"("\n\r\t\b\a\\\"\q")", {"\n\r\t\b\a\\\"q"}},
      {"bytes in double quotes", R"("\x00\xfF\x4")", {"\0\xff"s + "x4"}},
      {"no escapes in single quotes", R"('\n\x41\'')", {R"(\n\x41')"}},
      {"no escapes without quotes", R"(\n\x41)", {R"(\n\x41)"}},
      {"a quote within a word", "a\"b\"", {"ab"}},
      {"any bytes", "a\xff\0b"s, {"a\xff\0b"s}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto words = split_command_line(row.line);
    ASSERT_TRUE(words) << words.error().text;
    EXPECT_EQ(*words, row.words);
  }
}

TEST(CommandLine, WrongQuotesAreRefused) {
  const struct {
    const char* name;
    const char* line;
    const char* reason;
  } rows[] = {
      {"double quotes that do not close", "SET \"a", "quotes that do not close"},
      {"single quotes that do not close", "SET 'a", "quotes that do not close"},
      {"a closing quote that is escaped", R"("a\")", "quotes that do not close"},
      {"a backslash at the end", R"("a\)", "quotes that do not close"},
      {"text behind a quote", "\"a\"b", "text right behind a closing quote"},
      {"quotes behind a quote", "'a''b'", "text right behind a closing quote"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto words = split_command_line(row.line);
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().text, row.reason);
  }
}

}  // namespace
}  // namespace millrace::client
