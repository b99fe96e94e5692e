#include "engine/filter/program.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

bool matches(const std::string& filter, const std::string& document) {
  Fields fields;
  const Program program(parse_filter(filter).value(), fields);
  DocumentParser parser;
  FieldValues values;
  values.extract(parser.parse(document).value(), fields);
  Evaluation evaluation;
  return program.matches(values, evaluation) == Verdict::Yes;
}

std::string numbers(int from, int to) {
  std::string list;
  for (int i = from; i < to; ++i) list += (list.empty() ? "" : ",") + std::to_string(i);
  return list;
}

TEST(Program, SaysWhichFilterItIs) {
  for (
      const char* json :
      {"{}", R"({"a":{"$eq":null}})", R"({"$not":{}})", R"({"a":{"$nin":[]}})",
       R"({"$or":[{"$not":{"a":{"$in":[null,false,true,-5,2.5,"x",""]}}},{"b.c":{"$exists":false},"d":{"$regex":"^x"}}]})"}) {
    Fields fields;
    const Program program(parse_filter(json).value(), fields);
    EXPECT_EQ(filter_json(program.filter(fields)), filter_json(parse_filter(json).value()));
    program.release(fields);
    EXPECT_EQ(fields.limit(), 0u);
  }
}

TEST(Program, LongListsAndLongArraysMeet) {
  const std::string even = [] {
    std::string list;
    for (int i = 0; i < 8000; i += 2) list += (list.empty() ? "" : ",") + std::to_string(i);
    return list;
  }();
  const std::string in = R"({"a":{"$in":[)" + even + "]}}";
  const std::string nin = R"({"a":{"$nin":[)" + even + "]}}";
  const std::string none_in = R"({"a":{"$not":{"$in":[)" + even + "]}}}";
  EXPECT_TRUE(matches(in, R"({"a":4000})"));
  EXPECT_FALSE(matches(in, R"({"a":4001})"));
  EXPECT_FALSE(matches(nin, R"({"a":4000})"));
  EXPECT_TRUE(matches(nin, R"({"a":4001})"));
  const std::string all_even = R"({"a":[)" + even + "]}";
  EXPECT_TRUE(matches(in, all_even));
  EXPECT_FALSE(matches(nin, all_even));
  EXPECT_TRUE(matches(nin, R"({"a":[)" + even + ",1]}"));
  const std::string beyond = R"({"a":[)" + numbers(8000, 18'000) + "]}";
  EXPECT_FALSE(matches(in, beyond));
  EXPECT_TRUE(matches(nin, beyond));
  EXPECT_TRUE(matches(none_in, beyond));
  EXPECT_TRUE(matches(R"({"a":17999})", beyond));
  EXPECT_FALSE(matches(R"({"a":{"$lt":8000}})", beyond));
  EXPECT_TRUE(matches(R"({"a":{"$lte":8000}})", beyond));
  EXPECT_FALSE(matches(R"({"a":{"$gt":17999}})", beyond));
}

TEST(Program, RegularExpressionsLookAtAFewKibibytes) {
  const std::string x = R"({"a":{"$regex":"x"}})";
  EXPECT_TRUE(matches(x, R"({"a":")" + std::string(4096, 'x') + "\"}"));
  EXPECT_FALSE(matches(x, R"({"a":")" + std::string(4097, 'x') + "\"}"));
  EXPECT_TRUE(matches(x, R"({"a":["x",")" + std::string(4095, 'y') + "\"]}"));
  EXPECT_FALSE(matches(x, R"({"a":["x",")" + std::string(4096, 'y') + "\"]}"));
  EXPECT_FALSE(matches(R"({"a":{"$not":{"$regex":"x"}}})", R"({"a":")" + std::string(5000, 'x') + "\"}"));
}

TEST(Program, RegularExpressionsMeantToExplodeDoNot) {
  const std::string text(4000, 'a');
  for (const char* pattern :
       {"(a+)+$b", "(a|aa)+b", "(a*)*b", "(a|b)*a(a|b){300}c", "^(a?){50}a{50}b", "(.*)(.*)(.*)(.*)b"}) {
    EXPECT_FALSE(matches(std::string(R"({"a":{"$regex":")") + pattern + "\"}}", R"({"a":")" + text + "\"}")) << pattern;
  }
}

TEST(Program, OfThreeConditionsIsSmall) {
  Fields fields;
  const Program program(parse_filter(R"({"owner":"ann","priority":{"$gte":3},"state":{"$ne":"closed"}})").value(),
                        fields);
  // Seven steps of 16 bytes, and texts that fit into a string.
  EXPECT_LE(program.memory(), 7 * 16u);
}

}  // namespace
}  // namespace millrace
