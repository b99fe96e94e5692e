#include "client/escape.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

using namespace std::string_literals;

TEST(Escape, AnyBytesBecomeOneLine) {
  const struct {
    const char* name;
    std::string bytes;
    const char* json;
    const char* printable;
  } rows[] = {
      {"nothing", "", R"("")", ""},
      {"plain text", "abc", R"("abc")", "abc"},
      {"quotes", R"(say "hi")", R"("say \"hi\"")", R"(say "hi")"},
      {"a backslash", R"(a\b)", R"("a\\b")", R"(a\\b)"},
      {"line ends and tabs", "a\r\n\tb", R"("a\r\n\tb")", R"(a\r\n\tb)"},
      {"a terminal's escape", "\x1b[31m", R"("\u001b[31m")", R"(\x1b[31m)"},
      {"zero and delete", "\0\x7f"s, R"("\u0000\u007f")", R"(\x00\x7f)"},
      {"UTF-8 of two, three and four bytes", "é한😀", R"("é한😀")", "é한😀"},
      {"a byte that is not UTF-8", "a\xff", R"("a\u00ff")", R"(a\xff)"},
      {"UTF-8 cut short", "\xed\x95", R"("\u00ed\u0095")", R"(\xed\x95)"},
      {"not the shortest form", "\xc0\xaf", R"("\u00c0\u00af")", R"(\xc0\xaf)"},
      {"a surrogate", "\xed\xa0\x80", R"("\u00ed\u00a0\u0080")", R"(\xed\xa0\x80)"},
      {"good text behind a bad byte", "\xffé", R"("\u00ffé")", R"(\xffé)"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    std::string json, printable;
    append_json_string(json, row.bytes);
    append_printable(printable, row.bytes);
    EXPECT_EQ(json, row.json);
    EXPECT_EQ(printable, row.printable);
  }
}

}  // namespace
}  // namespace millrace::client
