#include "cli/duration.h"

#include <gtest/gtest.h>

namespace millrace::cli {
namespace {

TEST(Duration, TakesTheUnitsPeopleType) {
  const struct {
    const char* text;
    int64_t milliseconds;
  } rows[] = {{"500ms", 500}, {"30s", 30'000}, {"2m", 120'000},     {"1h", 3'600'000}, {"30", 30'000},
              {"0.5", 500},   {"1.5s", 1500},  {"24h", 86'400'000}, {"1ms", 1},        {"0.001s", 1}};
  for (const auto& row : rows) {
    const auto parsed = parse_duration(row.text);
    ASSERT_TRUE(parsed) << row.text;
    EXPECT_EQ(parsed->count(), row.milliseconds) << row.text;
  }
}

TEST(Duration, RefusesWhatIsNoTimeOrOutsideADay) {
  for (const char* text : {"", "s", "-1s", "0", "0.5ms", "25h", "10x", "10 s", "ten", "1e999s", "nan", "inf"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().text,
              "'" + std::string(text) + "' is no time: expected 500ms, 30s, 2m or 1h, from 1ms to 24h");
  }
}

}  // namespace
}  // namespace millrace::cli
