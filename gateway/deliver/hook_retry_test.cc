#include "gateway/deliver/hook_retry.h"

#include <gtest/gtest.h>

namespace millrace::gateway {
namespace {

using namespace std::chrono_literals;

TEST(HookRetry, PausesDoubleUpToTheLongest) {
  EXPECT_EQ(back_off_after(1, 5s, 1h, 0), 5s);
  EXPECT_EQ(back_off_after(2, 5s, 1h, 0), 10s);
  EXPECT_EQ(back_off_after(5, 5s, 1h, 0), 80s);
  EXPECT_EQ(back_off_after(11, 5s, 1h, 0), 1h);
  EXPECT_EQ(back_off_after(60'000, 5s, 1h, 0), 1h);
  EXPECT_EQ(back_off_after(3, 2h, 1h, 0), 1h);
}

TEST(HookRetry, PausesAreSpreadOverTheirSecondHalf) {
  std::chrono::milliseconds least = 1h;
  std::chrono::milliseconds most = 0s;
  for (uint64_t random = 0; random < 20'000; ++random) {
    const auto pause = back_off_after(2, 5s, 1h, random);
    least = std::min(least, pause);
    most = std::max(most, pause);
  }
  EXPECT_EQ(least, 5s);
  EXPECT_EQ(most, 10s);
  EXPECT_EQ(back_off_after(1, 1ms, 1ms, 12345), 1ms);
}

TEST(HookRetry, RetryAfterIsSecondsOrADate) {
  EXPECT_EQ(parse_retry_after("120", 0), 120s);
  EXPECT_EQ(parse_retry_after("0", 0), 0s);
  EXPECT_EQ(parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT", 1'445'412'420), 60s);
  EXPECT_EQ(parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT", 1'545'412'420), 0s);
  EXPECT_EQ(parse_retry_after("99999999999", 0), 24h);
  for (const char* text : {"", "-1", "1.5", "soon", "10 s", "Wed, 21 Oct 2015 07:28:00 CET"}) {
    EXPECT_FALSE(parse_retry_after(text, 0)) << text;
  }
}

}  // namespace
}  // namespace millrace::gateway
