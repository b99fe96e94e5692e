#include "gateway/admin/reply_json.h"

#include <gtest/gtest.h>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

using client::Reply;

Reply texts(const std::vector<std::string>& all) {
  std::vector<Reply> items;
  for (const std::string& one : all) items.push_back(text_of(one));
  return list_of(std::move(items));
}

std::string shown(const Reply& reply, std::string_view shape = "*") {
  std::string json;
  append_reply(json, reply, shape);
  return json;
}

struct ShapeRow {
  const char* name;
  Reply reply;
  const char* shape;
  const char* json;
};

TEST(ReplyJson, AShapeSaysWhatAnArrayStandsFor) {
  const Reply map = list_of({text_of("a"), number_of(1), text_of("b"), texts({"x", "y"})});
  const ShapeRow rows[] = {
      {"as it is", map, "*", R"(["a",1,"b",["x","y"]])"},
      {"no shape is as it is", map, "", R"(["a",1,"b",["x","y"]])"},
      {"a map", map, "{}", R"({"a":1,"b":["x","y"]})"},
      {"a map with the shape of one field", map, "{b:{}}", R"({"a":1,"b":{"x":"y"}})"},
      {"a map with the shape of all others",
       list_of({text_of("a"), texts({"x", "1"}), text_of("b"), texts({"x", "2"})}), "{a:*,*:{}}",
       R"({"a":["x","1"],"b":{"x":"2"}})"},
      {"a field with another name", map, "{a>c}", R"({"c":1,"b":["x","y"]})"},
      {"a field with another name and a shape", map, "{b>c:<p,q>}", R"({"a":1,"c":[{"p":"x","q":"y"}]})"},
      {"a list", list_of({texts({"a", "1"}), texts({"a", "2"})}), "[{}]", R"([{"a":"1"},{"a":"2"}])"},
      {"a tuple", list_of({number_of(7), text_of("t")}), "(offset,tag)", R"({"offset":7,"tag":"t"})"},
      {"a tuple that is shorter than its shape", list_of({number_of(7)}), "(offset,tag)", R"({"offset":7})"},
      {"a tuple with a shape inside", list_of({text_of("push"), list_of({texts({"d", "c"})})}),
       "(transport,devices:[(name,channel)])", R"({"transport":"push","devices":[{"name":"d","channel":"c"}]})"},
      {"values in turn", texts({"w1", "3", "w2", "4"}), "<name,pending>",
       R"([{"name":"w1","pending":"3"},{"name":"w2","pending":"4"}])"},
      {"a field of one value each", texts({"d1", "d2"}), "[=device]", R"([{"device":"d1"},{"device":"d2"}])"},
      {"nothing in it", list_of({}), "{}", "{}"},
      {"no items", list_of({}), "[{}]", "[]"},
      {"no turns", list_of({}), "<a,b>", "[]"},
      {"an answer of another shape", text_of("OK"), "{a:[{}]}", R"("OK")"},
      {"null in place of a map", Reply{}, "{}", "null"},
      {"a name without its value is left out", texts({"a", "1", "b"}), "{}", R"({"a":"1"})"},
  };
  for (const ShapeRow& row : rows) EXPECT_EQ(shown(row.reply, row.shape), row.json) << row.name;
}

TEST(ReplyJson, ANumberThatADoubleCannotHoldIsAString) {
  EXPECT_EQ(shown(number_of(int64_t{1} << 53)), "9007199254740992");
  EXPECT_EQ(shown(number_of((int64_t{1} << 53) + 1)), R"("9007199254740993")");
  EXPECT_EQ(shown(number_of(INT64_MIN)), R"("-9223372036854775808")");
  EXPECT_EQ(shown(number_of(-1)), "-1");
}

TEST(ReplyJson, BytesThatAreNoTextAreBase64) {
  EXPECT_EQ(shown(text_of("a\xff")), R"({"base64":"Yf8="})");
  EXPECT_EQ(shown(text_of("é<script>\n\"")), R"("é<script>\n\"")");
  // A surrogate and an overlong form are not valid UTF-8, although their bytes look like it.
  EXPECT_TRUE(shown(text_of("\xed\xa0\x80")).starts_with("{\"base64\":"));
  EXPECT_TRUE(shown(text_of("\xc0\x80")).starts_with("{\"base64\":"));
}

TEST(ReplyJson, WhateverTheNamesAreTheAnswerIsJson) {
  const Reply hostile = texts({"a\xff\"", "1", "\n", "\xff", std::string("\0", 1), "</script>"});
  for (const char* shape : {"*", "{}", "{*:{}}", "[*]", "<a,b>", "[=x]"}) {
    EXPECT_TRUE(compact_json(shown(hostile, shape))) << shape;
  }
}

TEST(ReplyJson, ContentIsCutAndSaysHowLongItIs) {
  const Reply letter = list_of({number_of(1), text_of(std::string(kMostShown + 1, 'x'))});
  const std::string json = shown(letter, "(offset,entry!)");
  EXPECT_TRUE(json.ends_with(R"(","bytes":16385,"cut":true})"));
  EXPECT_EQ(json.size(), kMostShown + std::string_view(R"({"offset":1,"entry":"","bytes":16385,"cut":true})").size());
  EXPECT_EQ(shown(list_of({text_of("ab")}), "(entry!)"), R"({"entry":"ab","bytes":2})");
  EXPECT_EQ(shown(list_of({text_of("ab")}), "(entry!>said)"), R"({"said":"ab","bytes":2})");
  EXPECT_EQ(shown(list_of({Reply{}}), "(entry!)"), R"({"entry":null})");
}

TEST(ReplyJson, TextIsNotCutInTheMiddleOfACharacter) {
  std::string json;
  append_content(json, "entry", "xé", 2);
  EXPECT_EQ(json, R"("entry":"x","bytes":3,"cut":true)");
  json.clear();
  // Bytes that are not text are cut at the exact limit.
  append_content(json, "entry", "\xff\xff\xff", 2);
  EXPECT_EQ(json, R"("entry":{"base64":"//8="},"bytes":3,"cut":true)");
}

TEST(FindField, IsTheValueBehindTheName) {
  const Reply map = list_of({text_of("a"), text_of("b"), text_of("b"), number_of(7)});
  EXPECT_EQ(find_field(map, "b")->integer, 7);
  EXPECT_EQ(find_field(map, "c"), nullptr);
  EXPECT_EQ(number_in(map, "b"), 7);
  EXPECT_EQ(number_in(map, "c"), 0);
  EXPECT_EQ(find_field(Reply{}, "a"), nullptr);
}

}  // namespace
}  // namespace millrace::gateway
