// Limits, and filters that are meant to hurt. What is accepted and refused within the limits
// is in the tables of docs/route-filters.md.
#include <gtest/gtest.h>

#include <string>

#include "engine/filter/filter.h"
#include "engine/filter/program.h"

namespace millrace {
namespace {

std::string error_of(const std::string& json) {
  const auto filter = parse_filter(json);
  if (filter) return "accepted";
  EXPECT_EQ(filter.error().code, ErrorCode::BadFilter);
  return filter.error().text;
}

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// {"$or":[{"$or":[ … {"a":1} … ]}]}, with `depth` objects.
std::string nested(size_t depth, const std::string& innermost = R"({"a":1})") {
  return repeated(R"({"$or":[{"b":1},)", depth - 1) + innermost + repeated("]}", depth - 1);
}

TEST(FilterLimits, AFilterMayHave64KiB) {
  std::string json = R"({"a":""})";
  json.insert(6, 64 * 1024 - json.size(), 'x');
  EXPECT_EQ(error_of(json), "accepted");
  EXPECT_EQ(error_of(json + " "), "the filter has 65537 bytes, expected 65536 at most");
  EXPECT_EQ(error_of(std::string(10'000'000, '{')), "the filter has 10000000 bytes, expected 65536 at most");
}

TEST(FilterLimits, ObjectsMayBeNested32Deep) {
  EXPECT_EQ(error_of(nested(32)), "accepted");
  EXPECT_EQ(error_of(nested(33)), repeated("$or[1].", 32).substr(0, 200) + "...: nested deeper than 32");
  // The operators of a field are one level more.
  EXPECT_EQ(error_of(nested(31, R"({"a":{"$gt":1}})")), "accepted");
  EXPECT_TRUE(error_of(nested(32, R"({"a":{"$gt":1}})")).ends_with("nested deeper than 32"));
  const auto nots = [](size_t depth) {
    return repeated(R"({"$not":)", depth - 1) + "{}" + std::string(depth - 1, '}');
  };
  EXPECT_EQ(error_of(nots(32)), "accepted");
  EXPECT_EQ(error_of(nots(33)), repeated("$not.", 31) + "$not: nested deeper than 32");
  const auto operators = [](size_t depth) {
    return R"({"a":)" + repeated(R"({"$not":)", depth - 1) + "1" + std::string(depth, '}');
  };
  EXPECT_EQ(error_of(operators(32)), "accepted");
  EXPECT_TRUE(error_of(operators(33)).ends_with("$not: nested deeper than 32"));
}

TEST(FilterLimits, NestingThatFillsAFilterIsRefused) {
  for (const char* opening : {"[", R"({"$not":)", R"({"a":{"$not":)", R"({"$and":[)"}) {
    const std::string json = repeated(opening, 60'000 / std::string(opening).size());
    EXPECT_TRUE(error_of(json).starts_with("not JSON: ")) << opening;
  }
  EXPECT_EQ(error_of(R"({"a":)" + std::string(5000, '[') + std::string(5000, ']') + "}"),
            "not JSON: too many nested objects and arrays");
}

TEST(FilterLimits, APathMayHave64Names) {
  const auto path = [](size_t names) { return "{\"" + repeated("a.", names - 1) + "a\":1}"; };
  EXPECT_EQ(error_of(path(64)), "accepted");
  EXPECT_TRUE(error_of(path(65)).ends_with(": a path of more than 64 names"));
  EXPECT_TRUE(error_of("{\"" + std::string(60'000, '.') + "\":1}").ends_with("names"));
}

// A hundred conditions on a field with a long name would be the name a hundred times.
TEST(FilterLimits, ALongNameIsNotSaidOverAndOver) {
  const std::string name(30'000, 'x');
  EXPECT_EQ(error_of("{\"" + name + R"(":{"$gt":1,"$lt":5}})"), "accepted");
  EXPECT_EQ(error_of("{\"" + name + R"(":{"$gt":1,"$lt":5,"$ne":3}})"),
            std::string(200, 'x') + "...: names of fields that, said for each condition, have more than 65536 bytes");
}

TEST(FilterLimits, AFilterMayHaveEightRegularExpressions) {
  const auto regexes = [](size_t count) {
    std::string list;
    for (size_t i = 0; i < count; ++i) {
      list += (i > 0 ? "," : "") + (R"({"a":{"$regex":"x)" + std::to_string(i) + "\"}}");
    }
    return "{\"$or\":[" + list + "]}";
  };
  EXPECT_EQ(error_of(regexes(8)), "accepted");
  EXPECT_EQ(error_of(regexes(9)), "$or[8].a.$regex: more than 8 regular expressions");
}

TEST(FilterLimits, ARegularExpressionMayHaveAKibibyte) {
  const auto regex = [](const std::string& pattern) { return R"({"a":{"$regex":")" + pattern + "\"}}"; };
  EXPECT_EQ(error_of(regex(std::string(1024, 'x'))), "accepted");
  EXPECT_EQ(error_of(regex(std::string(1025, 'x'))), "a.$regex: a regular expression longer than 1024 bytes");
}

TEST(FilterLimits, RegularExpressionsThatGrowAreRefused) {
  for (const char* pattern : {"((a{100}){100}){100}", "(a{1000}){1000}", "a{1001}", "(\\\\pL{20}){20}", ".{1000}"}) {
    EXPECT_TRUE(error_of(std::string(R"({"a":{"$regex":")") + pattern + "\"}}")
                    .starts_with("a.$regex: no regular expression: "))
        << pattern;
  }
  EXPECT_TRUE(error_of(R"({"a":{"$regex":")" + std::string(1000, '(') + "\"}}")
                  .starts_with("a.$regex: no regular expression: "));
}

TEST(FilterLimits, NumbersThatAreNone) {
  for (const char* number : {"1e400", "-1e400", "99999999999999999999", "01", "+1", ".5", "NaN", "Infinity", "0x10"}) {
    EXPECT_TRUE(error_of(std::string(R"({"a":)") + number + "}").starts_with("not JSON: ")) << number;
  }
  EXPECT_TRUE(error_of(R"({"a":)" + std::string(60'000, '9') + "}").starts_with("not JSON: "));
  EXPECT_EQ(error_of(R"({"a":0.)" + std::string(60'000, '9') + "}"), "accepted");
}

TEST(FilterLimits, TextThatIsNotUtf8IsRefused) {
  for (const char* bytes : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\\ud800"}) {
    EXPECT_TRUE(error_of(std::string("{\"a\":\"") + bytes + "\"}").starts_with("not JSON: ")) << bytes;
    EXPECT_TRUE(error_of(std::string("{\"") + bytes + "\":1}").starts_with("not JSON: ")) << bytes;
  }
}

// It is sent as one line of the protocol.
TEST(FilterErrors, AreOneLineWhateverTheFilterSays) {
  EXPECT_EQ(error_of(R"({"a\r\n+OK\u0000":[]})"), "a  +OK : expected a string, a number, true, false or null");
  EXPECT_EQ(error_of(R"({"a":{"$regex":"(\r\n"}})"), "a.$regex: no regular expression: missing ): (  ");
}

TEST(FilterErrors, ShowTheBeginningOfALongPath) {
  EXPECT_EQ(error_of("{\"" + std::string(1000, 'x') + "\":[]}"),
            std::string(200, 'x') + "...: expected a string, a number, true, false or null");
  // Not half a character.
  EXPECT_EQ(error_of("{\"x" + repeated("é", 500) + "\":[]}"),
            "x" + repeated("é", 99) + "...: expected a string, a number, true, false or null");
}

TEST(FilterErrors, NameTheFirstOfSeveral) {
  EXPECT_EQ(error_of(R"({"a":{"$in":[[],{}]},"$x":1})"), "a.$in[0]: expected a string, a number, true, false or null");
}

// What was accepted can be read again from its normal form, however it grew.
TEST(FilterLimits, TheNormalFormHasLimitsOfItsOwn) {
  const std::string hardest[] = {
      nested(32),
      repeated(R"({"a":1,"$not":)", 31) + R"({"a":1})" + std::string(31, '}'),
      R"({"a":{"$in":[)" + repeated("1e18,", 12'000) + "1]}}",
      R"({"a":{"$in":[)" +
          [] {
            std::string list = "1";
            for (int i = 0; i < 7000; ++i) list += "," + std::to_string(i) + "e14";
            return list;
          }() +
          "]}}",
      "{\"" + repeated("\\u0001", 4000) + R"(":{"$not":{"$gt":1,"$not":{"$gt":2,"$not":{"$gt":3,"$not":{"$gt":4}}}}}})",
      R"({"a":{"$not":)" + repeated(R"({"gt":1,"lt":2,"not":)", 29) + "1" + std::string(29, '}') + "}}",
  };
  for (const std::string& json : hardest) {
    SCOPED_TRACE(json.substr(0, 60));
    const auto filter = parse_filter(json);
    ASSERT_TRUE(filter) << filter.error().text;
    const std::string normal = filter_json(*filter);
    const auto again = parse_filter(normal, kNormalFormLimits);
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(filter_json(*again), normal);
  }
}

}  // namespace
}  // namespace millrace
