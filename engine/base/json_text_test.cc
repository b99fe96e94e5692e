#include "engine/base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {

namespace {

using namespace std::string_literals;

constexpr JsonStyle kPlain = {};
constexpr JsonStyle kEscapingDelete = {.escapes_delete = true};
constexpr JsonStyle kCodesOnly = {.has_short_escapes = false, .escapes_delete = true};

std::string json(ByteView bytes, JsonStyle style) {
  std::string text;
  append_json_string(text, bytes, style);
  return text;
}

TEST(JsonText, any_bytes_become_a_json_string) {
  const struct {
    const char* name;
    std::string bytes;
    const char* json;
  } rows[] = {
      {"nothing", "", R"("")"},
      {"plain text", "abc", R"("abc")"},
      {"quotes", R"(say "hi")", R"("say \"hi\"")"},
      {"a backslash, and a slash", R"(a\b/c)", R"("a\\b/c")"},
      {"control characters", "\0\b\x1f"s, R"("\u0000\u0008\u001f")"},
      {"UTF-8 of two, three and four bytes", "é한😀", R"("é한😀")"},
      {"a byte that is not UTF-8", "a\xff", R"("a\u00ff")"},
      {"UTF-8 cut short", "\xed\x95", R"("\u00ed\u0095")"},
      {"UTF-8 cut short by a quote", "\xe6\xb3\"", R"("\u00e6\u00b3\"")"},
      {"not the shortest form", "\xc0\xaf", R"("\u00c0\u00af")"},
      {"a surrogate", "\xed\xa0\x80", R"("\u00ed\u00a0\u0080")"},
      {"beyond the last code point", "\xf4\x90\x80\x80", R"("\u00f4\u0090\u0080\u0080")"},
      {"good text behind a bad byte", "\xffé", R"("\u00ffé")"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    for (const JsonStyle style : {kPlain, kEscapingDelete, kCodesOnly}) EXPECT_EQ(json(row.bytes, style), row.json);
  }
}

TEST(JsonText, styles_differ_in_line_ends_tabs_and_delete) {
  const char* bytes = "\n\r\t\x7f";
  EXPECT_EQ(json(bytes, kPlain), "\"\\n\\r\\t\x7f\"");
  EXPECT_EQ(json(bytes, kEscapingDelete), R"("\n\r\t\u007f")");
  EXPECT_EQ(json(bytes, kCodesOnly), R"("\u000a\u000d\u0009\u007f")");
}

}  // namespace

}  // namespace millrace
