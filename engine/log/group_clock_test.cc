#include "engine/log/group_clock.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

Now now(uint64_t wall, uint64_t monotonic) {
  Now both;
  both.wall = UnixMs(wall);
  both.monotonic = MonotonicMs(monotonic);
  return both;
}

constexpr uint64_t kHour = 3'600'000;

TEST(GroupClock, StartsAtTheWallClockAndFollowsTheMonotonicClock) {
  GroupClock clock;
  EXPECT_EQ(clock.time(now(10 * kHour, 50)), UnixMs(10 * kHour));
  clock.run(now(10 * kHour, 50));
  EXPECT_EQ(clock.time(now(10 * kHour + 30, 80)), UnixMs(10 * kHour + 30));
  EXPECT_EQ(clock.time(now(9 * kHour, 90)), UnixMs(10 * kHour + 40)) << "the wall clock was set back";
  EXPECT_EQ(clock.time(now(12 * kHour, 100)), UnixMs(10 * kHour + 50)) << "and set forwards";
  clock.run(now(12 * kHour, 100));
  EXPECT_EQ(clock.time(now(12 * kHour, 101)), UnixMs(10 * kHour + 51)) << "noted, it goes on as before";
}

TEST(GroupClock, EqualsTheWallClockWhileBothAdvanceTogether) {
  GroupClock clock;
  clock.run(now(10 * kHour, 50));
  EXPECT_EQ(clock.time(now(10 * kHour + 31, 80)), UnixMs(10 * kHour + 31)) << "a millisecond apart";
  EXPECT_EQ(clock.time(now(10 * kHour + 29, 80)), UnixMs(10 * kHour + 29));
  for (uint64_t i = 1; i <= 100; ++i) {
    clock.run(now(10 * kHour + i * 1010, 50 + i * 1000));
    EXPECT_EQ(clock.time(now(10 * kHour + i * 1010, 50 + i * 1000)), UnixMs(10 * kHour + i * 1010)) << "a slow drift";
  }
}

TEST(GroupClock, AfterARestartItContinuesFromTheLastDelivery) {
  GroupClock clock;
  clock.delivered(UnixMs(10 * kHour), true);
  EXPECT_EQ(clock.time(now(9 * kHour, 70)), UnixMs(10 * kHour));
  clock.run(now(9 * kHour, 70));
  EXPECT_EQ(clock.time(now(9 * kHour + 30, 100)), UnixMs(10 * kHour + 30));
}

TEST(GroupClock, WhenStoppedItEqualsTheWallClock) {
  GroupClock clock;
  clock.delivered(UnixMs(100), true);
  clock.run(now(100, 50));
  clock.stop();
  EXPECT_EQ(clock.time(now(500, 60)), UnixMs(500));
  clock.delivered(UnixMs(90), false);
  EXPECT_EQ(clock.last_delivery(), UnixMs(100));
  clock.delivered(UnixMs(90), true);
  EXPECT_EQ(clock.last_delivery(), UnixMs(90)) << "nothing was pending: a wrong clock is forgotten";
}

TEST(GroupClock, WithoutAMonotonicClockItEqualsTheWallClock) {
  GroupClock clock;
  clock.run(now(100, 0));
  EXPECT_EQ(clock.time(now(500, 0)), UnixMs(500));
  clock.delivered(UnixMs(600), true);
  EXPECT_EQ(clock.time(now(500, 0)), UnixMs(600));
}

}  // namespace
}  // namespace millrace
