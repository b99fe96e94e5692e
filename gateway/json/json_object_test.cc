#include "gateway/json/json_object.h"

#include <gtest/gtest.h>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

TEST(CompactJson, KeepsNumbersStringsAndTheOrderOfKeys) {
  EXPECT_EQ(compact_json(" { \"b\" : 1.50 ,\n\"a\":[ 1e3 , \" x \" ] } "), R"({"b":1.50,"a":[1e3," x "]})");
  EXPECT_EQ(compact_json("123456789012345678901234567890"), "123456789012345678901234567890");
}

TEST(CompactJson, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "01", "1.", "-", "1e", "tru", "\"\n\"",
                           "\"\\x\"", "\"\\u12\"", "1 2", "[1}", "\"\xff\""}) {
    EXPECT_FALSE(compact_json(text)) << text;
  }
}

TEST(CompactJson, IsBoundedInDepth) {
  const auto nested = [](size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_TRUE(compact_json(nested(512)));
  EXPECT_FALSE(compact_json(nested(600)));
  EXPECT_FALSE(compact_json(std::string(1'000'000, '[')));
}

TEST(JsonObject, GivesFieldsAsTheyWereWritten) {
  const auto object = JsonObject::parse(R"({"a":{"x":[1,2]},"b":"\u00e9\ud83d\ude00\n","c":-7,"d":true,"a\"":"]"})");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->raw("a"), R"({"x":[1,2]})");
  EXPECT_EQ(object->text("b"), "é😀\n");
  EXPECT_EQ(object->number("c"), -7);
  EXPECT_TRUE(object->is_true("d"));
  EXPECT_EQ(object->text("a\""), "]");
  EXPECT_FALSE(object->raw("e"));
  EXPECT_FALSE(object->text("c"));
}

TEST(JsonObject, TheLastOfTwoFieldsCounts) { EXPECT_EQ(JsonObject::parse(R"({"a":1,"a":2})")->number("a"), 2); }

TEST(JsonObject, IsNothingForOtherJson) {
  for (const char* text : {"[]", "1", "null", "\"{}\"", "{\"\\ud800\":1}"}) {
    EXPECT_FALSE(JsonObject::parse(text)) << text;
  }
}

TEST(JsonItems, AreThoseOfTheArray) {
  EXPECT_EQ(json_items(R"([1,"a,b",[2,3],{"x":","}])")->size(), 4U);
  EXPECT_TRUE(json_items("[]")->empty());
  EXPECT_FALSE(json_items("{}"));
}

TEST(Base64, IsReadInBothAlphabets) {
  const std::string bytes = "\xfb\xff\xfe";
  EXPECT_EQ(base64(bytes), "+//+");
  EXPECT_EQ(base64_decoded("-__-"), bytes);
  EXPECT_EQ(base64("a"), "YQ==");
  EXPECT_EQ(base64_decoded("YQ"), "a");
  EXPECT_FALSE(base64_decoded("Y"));
  EXPECT_FALSE(base64_decoded("Y Q="));
}

}  // namespace
}  // namespace millrace::gateway
