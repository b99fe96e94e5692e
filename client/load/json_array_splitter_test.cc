#include "client/load/json_array_splitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::client {
namespace {

struct Values {
  std::vector<std::string> values;
  std::string problem;

  bool operator==(const Values&) const = default;
};

// What it finds if the window grows by this many bytes each time.
Values values_of(std::string_view text, size_t step) {
  Values found;
  JsonArraySplitter splitter;
  for (size_t shown = step;;) {
    const bool is_all = shown >= text.size();
    std::string_view value;
    const Split split = splitter.split(text.substr(0, shown), is_all, value);
    if (split.kind == Split::Kind::Lost) found.problem = split.problem;
    if (split.kind == Split::Kind::Lost || (split.kind == Split::Kind::NeedsMore && is_all)) return found;
    if (split.kind == Split::Kind::NeedsMore) {
      shown += step;
      continue;
    }
    if (split.kind == Split::Kind::Record) found.values.emplace_back(value);
    text.remove_prefix(split.size);
    shown = step;
  }
}

TEST(JsonArraySplitter, FindsTheValuesHoweverMuchIsShown) {
  const struct {
    const char* name;
    const char* text;
    Values found;
  } rows[] = {
      {"an array", R"([{"a":1},{"b":[2,3]}])", {{R"({"a":1})", R"({"b":[2,3]})"}, ""}},
      {"lines", "[\n  {\n\"a\": 1\n},\r\n\t{} ]\n", {{"{\n\"a\": 1\n}", "{}"}, ""}},
      {"scalars", R"([1, -2.5e3 ,"x,]", true,null])", {{"1", "-2.5e3", R"("x,]")", "true", "null"}, ""}},
      {"brackets in strings", R"([{"a":"}]\"}"}])", {{R"({"a":"}]\"}"})"}, ""}},
      {"an empty array", " [ ] ", {{}, ""}},
      {"nothing", "", {{}, ""}},
      {"a byte order mark", "\xef\xbb\xbf[1]", {{"1"}, ""}},
      {"values without an array", "{\"a\":1}\n{\"a\":2} 3", {{R"({"a":1})", R"({"a":2})", "3"}, ""}},
      {"a cut array", "[1, 2", {{"1", "2"}, "the input ends within the JSON array"}},
      {"a cut value", "[1, {\"a\":", {{"1"}, "the input ends within a JSON value"}},
      {"no comma", "[1 2]", {{"1"}, "neither , nor ] behind a value of the JSON array"}},
      {"two commas", "[1,,2]", {{"1"}, "no value where one should be in the JSON array"}},
      {"a comma too many", "[1,]", {{"1"}, "no value where one should be in the JSON array"}},
      {"text behind it", "[1] 2", {{"1"}, "text behind the JSON array"}},
  };
  for (const auto& row : rows) {
    for (const size_t step : {1U, 2U, 3U, 5U, 1000U}) {
      const Values found = values_of(row.text, step);
      EXPECT_EQ(found.values, row.found.values) << row.name << " by " << step;
      EXPECT_EQ(found.problem, row.found.problem) << row.name << " by " << step;
    }
  }
}

}  // namespace
}  // namespace millrace::client
