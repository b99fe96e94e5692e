#include "engine/filter/document.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/filter/scalar_json.h"

namespace millrace {
namespace {

// What a document holds of a field, as JSON one behind the other.
std::string held(const std::string& json, const std::string& path) {
  Fields fields;
  const FieldId field = fields.use(path);
  DocumentParser parser;
  FieldValues values;
  values.extract(parser.parse(json).value(), fields);
  std::string text = values.is_present(field) ? "present" : "missing";
  for (const ScalarView& value : values.values(field)) {
    text += ' ';
    value.kind == ScalarKind::Nested ? text += "nested" : (append_json(text, value), text);
  }
  return text;
}

std::string nested(size_t depth) {
  return "{\"a\":" + std::string(depth - 1, '[') + "1" + std::string(depth - 1, ']') + "}";
}

TEST(Document, HoldsValuesByTheirPath) {
  EXPECT_EQ(held(R"({"a":1,"b":2})", "a"), "present 1");
  EXPECT_EQ(held(R"({"a":{"b":"x","c":"y"}})", "a.c"), "present \"y\"");
  EXPECT_EQ(held(R"({"a":{"b":1}})", "a"), "present nested");
  EXPECT_EQ(held(R"({"a":{"b":1}})", "a.b.c"), "missing");
  EXPECT_EQ(held(R"({"a":1})", "b"), "missing");
  EXPECT_EQ(held("{}", "a"), "missing");
}

TEST(Document, AnArrayIsItsElementsSortedAndEachOnce) {
  EXPECT_EQ(held(R"({"a":["b",3,"a",1,3,null,true,1.0,"a"]})", "a"), "present null true 1 3 \"a\" \"b\"");
  EXPECT_EQ(held(R"({"a":[]})", "a"), "present");
  EXPECT_EQ(held(R"({"a":[[1],{"b":2},[]]})", "a"), "present nested");
  EXPECT_EQ(held(R"({"a":[[1],{"b":2},[]]})", "a.b"), "present 2");
}

TEST(Document, OfAnotherChannelLeavesNothingBehind) {
  Fields many;
  for (int i = 0; i < 100; ++i) many.use("f" + std::to_string(i));
  Fields few;
  const FieldId only = few.use("other");
  DocumentParser parser;
  FieldValues values;
  values.extract(parser.parse(R"({"f0":1,"f99":2})").value(), many);
  EXPECT_TRUE(values.is_present(many.find("f0")));
  EXPECT_TRUE(values.is_present(many.find("f99")));
  values.extract(parser.parse(R"({"f0":1})").value(), few);
  for (uint32_t i = 0; i < 200; ++i) {
    EXPECT_FALSE(values.is_present(FieldId(i)));
    EXPECT_TRUE(values.values(FieldId(i)).empty());
  }
  EXPECT_EQ(only, FieldId(0));
}

TEST(Document, IsRefusedIfItIsNoObjectInJson) {
  DocumentParser parser;
  for (const char* json : {"", " ", "1", "null", "[]", "\"a\"", "{", "{}{}", "{}x", "{\"a\"}", "{'a':1}", "{\"a\":01}",
                           "{\"a\":1,}", "{\"a\":1e400}", "{\"a\":-1e400}", "{\"a\":99999999999999999999}"}) {
    SCOPED_TRACE(json);
    const auto document = parser.parse(json);
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().code, ErrorCode::Syntax);
  }
  EXPECT_TRUE(parser.parse("{}")) << "a refusal must not disturb the next document";
}

TEST(Document, IsRefusedIfItIsNotUtf8) {
  DocumentParser parser;
  for (const char* bytes : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\\ud800"}) {
    EXPECT_FALSE(parser.parse(std::string("{\"a\":\"") + bytes + "\"}")) << bytes;
    EXPECT_FALSE(parser.parse(std::string("{\"") + bytes + "\":1}")) << bytes;
  }
}

TEST(Document, MayHaveAMebibyte) {
  DocumentParser parser;
  const std::string frame = R"({"a":""})";
  std::string largest = frame;
  largest.insert(6, DocumentParser::kMaxBytes - frame.size(), 'x');
  ASSERT_EQ(largest.size(), DocumentParser::kMaxBytes);
  EXPECT_TRUE(parser.parse(largest));
  const auto larger = parser.parse(largest + " ");
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().code, ErrorCode::Range);
  EXPECT_FALSE(parser.parse(std::string(10'000'000, '[')));
  EXPECT_TRUE(parser.parse("{}"));
}

TEST(Document, MayBeNestedSixtyFourDeep) {
  DocumentParser parser;
  EXPECT_TRUE(parser.parse(nested(DocumentParser::kMaxDepth)));
  EXPECT_FALSE(parser.parse(nested(DocumentParser::kMaxDepth + 1)));
  EXPECT_TRUE(parser.parse("{\"a\":\"" + std::string(100'000, 'x') + "\"}")) << "it grows";
  EXPECT_TRUE(parser.parse(nested(DocumentParser::kMaxDepth)));
  EXPECT_FALSE(parser.parse(nested(DocumentParser::kMaxDepth + 1)));
  EXPECT_FALSE(parser.parse(nested(100'000)));
}

TEST(Document, OfManyValuesIsReadUpToALimit) {
  std::string list = "0";
  for (int i = 1; i < 10'000; ++i) list += "," + std::to_string(i % 1000);
  Fields fields;
  const FieldId field = fields.use("a");
  DocumentParser parser;
  FieldValues values;
  values.extract(parser.parse("{\"a\":[" + list + "]}").value(), fields);
  EXPECT_TRUE(values.too_much().empty());
  ASSERT_EQ(values.values(field).size(), 1000u);
  EXPECT_EQ(values.values(field).back().number, Number(int64_t{999}));
  values.extract(parser.parse("{\"a\":[" + list + ",1]}").value(), fields);
  EXPECT_TRUE(values.is_too_much(field) && values.is_present(field) && values.values(field).empty());
  values.extract(parser.parse("{\"b\":[" + list + ",1]}").value(), fields);
  EXPECT_FALSE(values.is_too_much(field)) << "nobody looks at it";
}

TEST(Document, LeavesOutTheFieldsWithTheMostValuesUntilTheOthersFit) {
  const auto list = [](int count) {
    std::string text = "[1";
    for (int i = 1; i < count; ++i) text += ",1";
    return text + "]";
  };
  Fields fields;
  const FieldId a = fields.use("a");
  const FieldId b = fields.use("b.c");
  const FieldId d = fields.use("d");
  DocumentParser parser;
  FieldValues values;
  values.extract(parser.parse("{\"d\":7,\"a\":" + list(6000) + ",\"b\":{\"c\":" + list(5000) + "}}").value(), fields);
  EXPECT_TRUE(values.is_too_much(a));
  EXPECT_FALSE(values.is_too_much(b) || values.is_too_much(d));
  EXPECT_EQ(values.values(b).size(), 1u);
  EXPECT_EQ(values.values(d).size(), 1u);
  values.extract(parser.parse("{\"a\":1}").value(), fields);
  EXPECT_FALSE(values.is_too_much(a)) << "the next document begins anew";
}

TEST(Json, OfAnyKindIsCheckedWithinTheLimitsOfADocument) {
  for (const char* json : {"1", "null", "[]", "[{\"op\":\"replace\"}]", "\"a\"", "{}"}) {
    EXPECT_TRUE(check_json(json)) << json;
  }
  for (const char* json : {"", "{", "[1,]", "nan", "1 2"}) EXPECT_EQ(check_json(json).error().code, ErrorCode::Syntax);
  EXPECT_EQ(check_json(std::string(DocumentParser::kMaxBytes + 1, ' ')).error().code, ErrorCode::Range);
}

}  // namespace
}  // namespace millrace
