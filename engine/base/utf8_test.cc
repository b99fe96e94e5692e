#include "engine/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {

namespace {

TEST(Utf8, a_character_has_one_to_four_bytes) {
  const struct {
    const char* name;
    ByteView text;
    size_t length;
  } rows[] = {
      {"ASCII", "ab", 1},
      {"zero", ByteView("\0", 1), 1},
      {"two bytes", "éa", 2},
      {"three bytes", "한a", 3},
      {"four bytes", "😀a", 4},
      {"the last code point", "\xf4\x8f\xbf\xbf", 4},
      {"beyond the last code point", "\xf4\x90\x80\x80", 0},
      {"the last before surrogates", "\xed\x9f\xbf", 3},
      {"a surrogate", "\xed\xa0\x80", 0},
      {"a continuation byte", "\x80", 0},
      {"not the shortest form in two bytes", "\xc0\xaf", 0},
      {"not the shortest form in three", "\xe0\x80\xaf", 0},
      {"not the shortest form in four", "\xf0\x80\x80\xaf", 0},
      {"no such lead byte", "\xf5\x80\x80\x80", 0},
      {"cut short", "\xe6\xb3", 0},
      {"cut short by another character", "\xe6\xb3x", 0},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(utf8_length(row.text), row.length);
  }
}

TEST(Utf8, a_text_is_valid_if_all_its_characters_are) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("größe 注文 🚚"));
  EXPECT_FALSE(is_utf8("größe \xff"));
  EXPECT_FALSE(is_utf8("größ\xc3"));
}

TEST(Utf8, what_is_not_plain_is_escaped_byte_by_byte) {
  std::string text;
  append_escaped(
      text, "a-é-\xc3-b", [](char c) { return c != '-'; }, [&](char c) { text += c == '-' ? "[-]" : "[?]"; });
  EXPECT_EQ(text, "a[-]é[-][?][-]b");
}

}  // namespace

}  // namespace millrace
