#include "cli/moment.h"

#include <gtest/gtest.h>

namespace millrace::cli {
namespace {

constexpr int64_t kNow = 1'800'000'000'000;

TEST(Moment, DatesAreUtcUnlessTheyHaveAZone) {
  constexpr struct {
    const char* text;
    int64_t moment;
  } kRows[] = {
      {"1970-01-01", 0},
      {"2026-11-18", 1'794'960'000'000},
      {"2026-11-18T13:05", 1'795'007'100'000},
      {"2026-11-18T13:05:30", 1'795'007'130'000},
      {"2026-11-18 13:05:30.250Z", 1'795'007'130'250},
      {"2026-11-18T15:05:30+02:00", 1'795'007'130'000},
      {"2026-11-18T07:35:30-05:30", 1'795'007'130'000},
  };
  for (const auto& row : kRows) EXPECT_EQ(parse_moment(row.text, kNow).value_or(-1), row.moment) << row.text;
}

TEST(Moment, ATimeWithAUnitIsSoLongAgo) {
  EXPECT_EQ(parse_moment("90s", kNow), kNow - 90'000);
  EXPECT_EQ(parse_moment("10m", kNow), kNow - 600'000);
  EXPECT_EQ(parse_moment("2h", kNow), kNow - 7'200'000);
}

TEST(Moment, EverythingElseIsRefused) {
  for (const char* text : {"", "10", "-10", "$", "yesterday", "2026-13-01", "2026-02-30", "2026-11-18T25:00",
                           "2026-11-18T13:05:30+2", "2026-11-18T13:05:30Zx", "18.11.2026", "0s"}) {
    EXPECT_FALSE(parse_moment(text, kNow)) << text;
  }
}

}  // namespace
}  // namespace millrace::cli
