#include "client/load/json_scanner.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

using namespace std::string_literals;

std::string found_at(const char* pointer, const std::string& text) {
  JsonScanner scanner({*parse_json_pointer(pointer)});
  const auto scanned = scanner.scan(text);
  if (!scanned) return "refused: " + scanned.error().text;
  return std::string(scanner.found(0).value_or("nothing"));
}

TEST(JsonScanner, APointerLeadsToTheSourceOfAValue) {
  const struct {
    const char* name;
    const char* pointer;
    const char* text;
    const char* found;
  } rows[] = {
      {"the whole, without the space around it", "", " {\"a\": 1} ", "{\"a\": 1}"},
      {"a scalar is a whole text", "", "17", "17"},
      {"a member", "/a", R"({"a":1})", "1"},
      {"a member among others", "/b", R"({"a":1,"b":"x","c":2})", "\"x\""},
      {"a member of a member", "/a/b", R"({"b":0,"a":{"c":1,"b":[2]}})", "[2]"},
      {"an element", "/1", "[10, 20, 30]", "20"},
      {"deep in arrays", "/1/0/0", "[0,[[5]]]", "5"},
      {"an array of objects", "/l/1/v", R"({"l":[{"v":1},{"v":2}]})", "2"},
      {"an object as it is written", "/o", R"({"o": { "x" : [ ] } })", R"({ "x" : [ ] })"},
      {"the last of two with one name", "/a", R"({"a":1,"a":2})", "2"},
      {"what the last of two does not have", "/a/b", R"({"a":{"b":1},"a":{"c":2}})", "nothing"},
      {"what only the last of two has", "/a/b", R"({"a":{"c":1},"a":{"b":2}})", "2"},
      {"not there", "/z", R"({"a":1})", "nothing"},
      {"the same name elsewhere", "/b", R"({"a":{"b":1}})", "nothing"},
      {"behind a sibling with the beginning of the path", "/a/c", R"({"a":{"b":1},"d":{"c":2}})", "nothing"},
      {"beyond the end of an array", "/3", "[0,1]", "nothing"},
      {"into a scalar", "/a/b", R"({"a":1})", "nothing"},
      {"an empty name", "/", R"({"":1})", "1"},
      {"a name with ~ and /", "/~0~1", R"({"~/":1})", "1"},
      {"a name that is escaped in the text", "/é", R"({"\u00e9":1})", "1"},
      {"a number of any length", "/n", R"({"n":-123456789012345678901234567890.5e+100})",
       "-123456789012345678901234567890.5e+100"},
      {"words", "/2", "[true,false,null]", "null"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(found_at(row.pointer, row.text), row.found);
  }
}

TEST(JsonScanner, WhatIsNoJsonIsRefusedWithThePlace) {
  const struct {
    const char* name;
    std::string text;
    const char* reason;
  } rows[] = {
      {"nothing", "", "the text ends where a value should be at byte 1"},
      {"two values", "1 2", "text behind the value at byte 3"},
      {"no value", R"({"a":})", "something that is no value at byte 6"},
      {"a comma too many", "[1,]", "something that is no value at byte 4"},
      {"a comma too many in an object", R"({"a":1,})", "no name where a member of an object should be at byte 8"},
      {"no comma", "[1 2]", "neither , nor ] in an array at byte 4"},
      {"no comma in an object", R"({"a":1 "b":2})", "neither , nor } in an object at byte 8"},
      {"the wrong bracket", "[1}", "neither , nor ] in an array at byte 3"},
      {"not closed", "[[1]", "the text ends within an object or array at byte 5"},
      {"no colon", R"({"a" 1})", "no : behind the name of a member at byte 6"},
      {"a name without quotes", "{a:1}", "no name where a member of an object should be at byte 2"},
      {"single quotes", "'a'", "something that is no value at byte 1"},
      {"a string that does not end", "\"abc", "a string that does not end at byte 5"},
      {"a string that ends with a backslash", "\"\\", "a string that does not end at byte 3"},
      {"a line end in a string", "\"a\nb\"", "a control character in a string at byte 3"},
      {"an unknown escape", R"("\x41")", "an escape that JSON does not know at byte 3"},
      {"\\u cut short", R"("\u12")", "\\u without four hex digits at byte 3"},
      {"a leading zero", "01", "a number that begins with 0 at byte 2"},
      {"a plus", "+1", "something that is no value at byte 1"},
      {"a minus alone", "-", "a - without a number at byte 2"},
      {"no digit behind the point", "1.", "no digit behind a decimal point at byte 3"},
      {"an exponent without digits", "1e+", "an exponent without a digit at byte 4"},
      {"a word cut short", "tru", "something that is no value at byte 1"},
      {"NaN", "NaN", "something that is no value at byte 1"},
      {"not UTF-8", "\"\xff\"", "bytes that are not UTF-8"},
      {"a zero byte", "1\0"s, "text behind the value at byte 2"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    JsonScanner scanner({});
    const auto scanned = scanner.scan(row.text);
    ASSERT_FALSE(scanned) << "it was accepted";
    EXPECT_EQ(scanned.error().text, row.reason);
  }
}

TEST(JsonScanner, AMillionLevelsAreNoProblem) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(found_at("", deep), deep);
}

TEST(JsonScanner, OneScannerServesManyTexts) {
  JsonScanner scanner({{"a"}, {"b", "c"}});
  ASSERT_TRUE(scanner.scan(R"({"a":1,"b":{"c":2}})"));
  ASSERT_FALSE(scanner.scan(R"({"b":{"c":3,)"));
  ASSERT_TRUE(scanner.scan(R"({"b":{"c":4}})"));
  EXPECT_EQ(scanner.found(0), std::nullopt);
  EXPECT_EQ(scanner.found(1), "4");
}

TEST(JsonPointer, AnInvalidOneIsRefused) {
  EXPECT_FALSE(parse_json_pointer("a"));
  EXPECT_FALSE(parse_json_pointer("/a~"));
  EXPECT_FALSE(parse_json_pointer("/a~2"));
  EXPECT_EQ(*parse_json_pointer("/a//b"), (JsonPath{"a", "", "b"}));
}

TEST(JsonString, EscapesBecomeWhatTheyMean) {
  std::string text;
  ASSERT_TRUE(append_unescaped(text, R"(a\"\\\/\b\f\n\r\t\u0041\u00e9\ud55c\ud83d\ude00z)"));
  EXPECT_EQ(text, "a\"\\/\b\f\n\r\tAé한😀z");
  for (const char* half : {R"(\ud800)", R"(\ud800x)", R"(\ud800\n)", R"(\ud800\u0041)", R"(\udc00)"}) {
    std::string out;
    EXPECT_FALSE(append_unescaped(out, half)) << half;
  }
}

}  // namespace
}  // namespace millrace::client
