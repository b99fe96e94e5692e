#include "gateway/config/go_duration.h"

#include <gtest/gtest.h>

namespace millrace::gateway {
namespace {

using std::chrono::milliseconds;

TEST(GoDuration, TakesWhatGoTakes) {
  const struct {
    const char* text;
    int64_t expected;
  } rows[] = {{"0", 0},       {"0s", 0},      {"30s", 30'000},         {"1h30m", 5'400'000},
              {"1.5s", 1500}, {"250ms", 250}, {"1m0.5s", 60'500},      {"999us", 0},
              {"2500us", 2},  {"+5s", 5000},  {"1h1m1s1ms", 3'661'001}};
  for (const auto& row : rows) EXPECT_EQ(parse_go_duration(row.text), milliseconds(row.expected)) << row.text;
}

TEST(GoDuration, RefusesEverythingElse) {
  for (const char* text : {"", "30", "s", "-1s", "1", "1x", "1s ", " 1s", "1e3s", "infs", "nans", ".", ".s", "1..5s",
                           "99999999999999999999h", "1h1"}) {
    EXPECT_FALSE(parse_go_duration(text)) << text;
  }
}

TEST(GoDuration, IsWrittenAsItIsRead) {
  for (const int64_t time : {0, 1, 999, 1000, 90'000, 90'001}) {
    EXPECT_EQ(parse_go_duration(go_duration(milliseconds(time))), milliseconds(time));
  }
}

}  // namespace
}  // namespace millrace::gateway
