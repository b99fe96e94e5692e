#include "engine/filter/access.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "engine/filter/scalar_json.h"

namespace millrace {
namespace {

// Fields named "common" lead to many filters.
std::string access(const std::string& json, size_t longest = 256) {
  const auto cost = [](const Equality& equality) -> uint64_t { return equality.field == "common" ? 1000 : 0; };
  const auto found = best_access(parse_filter(json).value(), cost, longest);
  if (!found) return "none";
  std::string text;
  for (const Equality& equality : *found) {
    text += (text.empty() ? "" : " or ") + equality.field + "=";
    append_json(text, equality.value);
  }
  return text;
}

TEST(Access, IsAnEqualityThatEveryMatchHas) {
  EXPECT_EQ(access(R"({"a":1})"), "a=1");
  EXPECT_EQ(access(R"({"a":{"$in":["x","y"]}})"), "a=\"x\" or a=\"y\"");
  EXPECT_EQ(access(R"({"a":1,"b":{"$gt":5}})"), "a=1");
  EXPECT_EQ(access(R"({"$or":[{"a":1},{"b":2,"c":{"$lt":3}}]})"), "a=1 or b=2");
}

TEST(Access, IsTheOneThatLeadsToTheFewest) {
  EXPECT_EQ(access(R"({"common":1,"rare":1})"), "rare=1");
  EXPECT_EQ(access(R"({"common":1,"rare":{"$in":[1,2,3]}})"), "rare=1 or rare=2 or rare=3");
  EXPECT_EQ(access(R"({"a":1,"b":{"$in":[1,2]}})"), "a=1");
  EXPECT_EQ(access(R"({"common":1,"$or":[{"a":1},{"b":1}]})"), "a=1 or b=1");
  EXPECT_EQ(access(R"({"common":1})"), "common=1");
}

TEST(Access, IsNoneWhereNoEqualityIsNecessary) {
  for (const char* json : {"{}", R"({"a":{"$gt":1}})", R"({"a":{"$ne":1}})", R"({"a":{"$nin":[1,2]}})",
                           R"({"$not":{"a":1}})", R"({"$or":[{"a":1},{"b":{"$gt":1}}]})", R"({"a":{"$regex":"x"}})",
                           R"({"a":{"$exists":true}})", R"({"a":{"$in":[]}})"}) {
    EXPECT_EQ(access(json), "none") << json;
  }
}

TEST(Access, IsNotLongerThanAllowed) {
  EXPECT_EQ(access(R"({"a":{"$in":[1,2]}})", 2), "a=1 or a=2");
  EXPECT_EQ(access(R"({"a":{"$in":[1,2,3]}})", 2), "none");
  EXPECT_EQ(access(R"({"$or":[{"a":1},{"b":1},{"c":1}]})", 2), "none");
}

std::string intervals(const std::string& json) {
  std::string text;
  for (const Interval& interval : necessary_intervals(parse_filter(json).value())) {
    // Rounded outwards by one step, which is taken back here.
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    text += interval.field + "[" + std::to_string(std::lround(std::max(interval.low, -999.0))) + "," +
            std::to_string(std::lround(std::min(interval.high, 999.0))) + "]";
    EXPECT_TRUE(interval.low == -kInfinity || interval.low < std::round(interval.low));
    EXPECT_TRUE(interval.high == kInfinity || interval.high > std::round(interval.high));
  }
  return text;
}

TEST(Intervals, AreTheBoundsThatEveryMatchKeeps) {
  EXPECT_EQ(intervals(R"({"a":{"$gt":1}})"), "a[1,999]");
  EXPECT_EQ(intervals(R"({"a":{"$lte":7}})"), "a[-999,7]");
  EXPECT_EQ(intervals(R"({"a":{"$gte":1,"$lt":5},"b":{"$gt":3}})"), "a[1,5]b[3,999]");
  EXPECT_EQ(intervals(R"({"$and":[{"a":{"$gt":1}},{"a":{"$gt":3}}]})"), "a[3,999]");
}

TEST(Intervals, AreNotOfStringsNorOfWhatIsNotNecessary) {
  for (const char* json : {"{}", R"({"a":{"$gt":"x"}})", R"({"a":{"$ne":1}})", R"({"a":{"$nin":[1,2]}})",
                           R"({"$not":{"a":{"$gt":1}}})", R"({"$or":[{"a":{"$gt":1}},{"b":{"$gt":1}}]})"}) {
    EXPECT_EQ(intervals(json), "") << json;
  }
}

TEST(Intervals, AreAFewOfMany) {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i) json += (i > 0 ? ",\"f" : "\"f") + std::to_string(i) + R"(":{"$gt":1})";
  EXPECT_EQ(necessary_intervals(parse_filter(json + "}").value()).size(), 8u);
}

}  // namespace
}  // namespace millrace
