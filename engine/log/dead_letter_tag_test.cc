#include "engine/log/dead_letter_tag.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace millrace {
namespace {

// Removes a JSON string from the front of `json`, and returns its code points; nullopt if it is not valid. Strict: no
// raw control characters, only UTF-8 in its shortest form.
std::optional<std::u32string> take_json_string(ByteView& json) {
  const auto take = [&]() -> int {
    if (json.empty()) return -1;
    const auto byte = static_cast<uint8_t>(json.front());
    json.remove_prefix(1);
    return byte;
  };
  std::u32string text;
  if (take() != '"') return std::nullopt;
  while (true) {
    const int byte = take();
    if (byte < 0x20) return std::nullopt;
    if (byte == '"') return text;
    if (byte == '\\') {
      const int escape = take();
      if (escape == '"' || escape == '\\') {
        text += static_cast<char32_t>(escape);
      } else if (escape == 'u' && json.size() >= 4) {
        text += static_cast<char32_t>(std::stoul(std::string(json.substr(0, 4)), nullptr, 16));
        json.remove_prefix(4);
      } else {
        return std::nullopt;
      }
    } else if (byte < 0x80) {
      text += static_cast<char32_t>(byte);
    } else {
      const int more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
      constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
      auto point = static_cast<char32_t>(byte & (0x3f >> more));
      for (int i = 0; i < more; ++i) {
        const int next = take();
        if (next < 0 || (next & 0xc0) != 0x80) return std::nullopt;
        point = (point << 6) | static_cast<char32_t>(next & 0x3f);
      }
      if (more == 0 || point < kSmallest[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
        return std::nullopt;
      }
      text += point;
    }
  }
}

// Writes a tag with this name of the group, and returns the name that a reader of the JSON gets.
std::optional<std::u32string> group_read_back(ByteView group) {
  const std::string tag = dead_letter_tag(true, 1, Offset(2), group, "k", "t");
  const ByteView front = R"({"why":"expired","attempts":1,"offset":2,"group":)";
  ByteView json = tag;
  if (!json.starts_with(front)) return std::nullopt;
  json.remove_prefix(front.size());
  auto text = take_json_string(json);
  if (json != R"(,"key":"k","tag":"t"})") return std::nullopt;
  return text;
}

TEST(DeadLetterTag, NamesTheOriginOfTheMessageAndTheReason) {
  EXPECT_EQ(dead_letter_tag(false, 2, Offset(17), "g", "orders", "new"),
            R"({"why":"attempts","attempts":2,"offset":17,"group":"g","key":"orders","tag":"new"})");
  EXPECT_EQ(dead_letter_tag(true, 65535, kMaxOffset, "", "", ""),
            R"({"why":"expired","attempts":65535,"offset":9223372036854775807,"group":"","key":"","tag":""})");
}

TEST(DeadLetterTag, QuotesAndBackslashesAreEscaped) {
  EXPECT_EQ(dead_letter_tag(true, 1, Offset(1), R"(a"b)", R"(c\d)", R"("\)"),
            R"({"why":"expired","attempts":1,"offset":1,"group":"a\"b","key":"c\\d","tag":"\"\\"})");
}

TEST(DeadLetterTag, EveryByteIsValidJson) {
  for (int byte = 0; byte < 256; ++byte) {
    SCOPED_TRACE(byte);
    const char c = static_cast<char>(byte);
    const std::u32string expected = {static_cast<char32_t>(byte), U'x'};
    EXPECT_EQ(group_read_back(std::string{c, 'x'}), expected);
    EXPECT_EQ(group_read_back(std::string{c}), expected.substr(0, 1));
  }
}

TEST(DeadLetterTag, EveryPairOfBytesIsValidJson) {
  for (int pair = 0; pair < 65536; ++pair) {
    const std::string text = {static_cast<char>(pair >> 8), static_cast<char>(pair & 0xff)};
    ASSERT_TRUE(group_read_back(text)) << pair;
  }
}

TEST(DeadLetterTag, Utf8IsUnchanged) {
  for (const char* text : {"größe", "注文", "🚚", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80", "\xc2\x80"}) {
    SCOPED_TRACE(text);
    EXPECT_NE(dead_letter_tag(true, 1, Offset(1), "g", "k", text).find(text), std::string::npos);
    EXPECT_EQ(group_read_back(text)->size(), group_read_back(std::string(text) + "x")->size() - 1);
  }
}

TEST(DeadLetterTag, EachByteThatIsNotUtf8IsEscaped) {
  const struct {
    const char* name;
    ByteView bytes;
    std::u32string text;
  } rows[] = {
      {"a rest without a beginning", "\x80", U"\u0080"},
      {"not the shortest form of /", "\xc0\xaf", U"\u00c0\u00af"},
      {"not the shortest form in three", "\xe0\x80\xaf", U"\u00e0\u0080\u00af"},
      {"not the shortest form in four", "\xf0\x80\x80\xaf", U"\u00f0\u0080\u0080\u00af"},
      {"half of a pair", "\xed\xa0\x80", U"\u00ed\u00a0\u0080"},
      {"beyond the last code point", "\xf4\x90\x80\x80", U"\u00f4\u0090\u0080\u0080"},
      {"no such beginning", "\xf5\x80\x80\x80", U"\u00f5\u0080\u0080\u0080"},
      {"cut short", "\xe6\xb3", U"\u00e6\u00b3"},
      {"cut short by a quote", "\xe6\xb3\"", U"\u00e6\u00b3\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(group_read_back(row.bytes), row.text);
  }
}

TEST(DeadLetterTag, TheReasonComesLast) {
  EXPECT_EQ(
      dead_letter_tag(false, 2, Offset(17), "g", "orders", "new", "bad \"json\""),
      R"({"why":"dead","attempts":2,"offset":17,"group":"g","key":"orders","tag":"new","reason":"bad \"json\""})");
}

TEST(DeadLetterTag, TheOriginIsReadBackForNamesOfAnyBytes) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  const std::string names[] = {"", "orders", every, "gr\xc3\xb6\xc3\x9f\x65", "\xc3", "\\u00e9", "\"}", R"(,"tag":")"};
  for (const std::string& key : names) {
    for (const std::string& tag : names) {
      for (const std::optional<ByteView> reason : {std::optional<ByteView>(), std::optional<ByteView>(tag)}) {
        const auto origin = dead_letter_origin(dead_letter_tag(true, 1, Offset(2), key, key, tag, reason));
        ASSERT_TRUE(origin);
        EXPECT_EQ(origin->key, key);
        EXPECT_EQ(origin->tag, tag);
      }
    }
  }
}

TEST(DeadLetterTag, OtherTagsHaveNoOrigin) {
  const std::string ours = dead_letter_tag(false, 2, Offset(17), "g", "orders", "new", "why");
  for (size_t length = 0; length < ours.size(); ++length) EXPECT_FALSE(dead_letter_origin(ours.substr(0, length)));
  EXPECT_FALSE(dead_letter_origin(ours + " "));
  EXPECT_FALSE(dead_letter_origin("new"));
  EXPECT_FALSE(dead_letter_origin(R"({"key":"orders","tag":"new"})"));
  EXPECT_FALSE(dead_letter_origin(R"({"why":"x","attempts":1,"offset":1,"group":"g","key":"\u00zz","tag":"t"})"));
}

}  // namespace
}  // namespace millrace
