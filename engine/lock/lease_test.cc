#include "engine/lock/lease.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

constexpr uint64_t kHere = 7, kElsewhere = 8;

Now clocks(uint64_t monotonic, uint64_t wall, uint64_t clock_id = kHere) {
  Now now;
  now.wall = UnixMs(wall);
  now.monotonic = MonotonicMs(monotonic);
  now.clock_id = clock_id;
  return now;
}

// A lease of 1,000 ms that began when the monotonic clock was at 5,000 and the wall clock at 90,000.
Lease told() { return Lease::from(clocks(5000, 90'000), 1000); }
uint64_t left_as_seen(uint64_t clock, const Now& now) { return Lease::as_seen(told(), clock, now).left(now.monotonic); }

TEST(Lease, EndsAfterItsWholeTime) {
  EXPECT_EQ(told().left(MonotonicMs(5000)), 1000u);
  EXPECT_EQ(told().left(MonotonicMs(5999)), 1u);
  EXPECT_FALSE(told().is_over(MonotonicMs(6000)));
  EXPECT_TRUE(told().is_over(MonotonicMs(6001)));
  EXPECT_EQ(told().left(MonotonicMs(9000)), 0u);
}

TEST(Lease, OnTheSameMonotonicClockItDoesNotDependOnTheWallClock) {
  for (const uint64_t wall : {uint64_t{0}, uint64_t{90'300}, uint64_t{50'000'000}}) {
    EXPECT_EQ(left_as_seen(kHere, clocks(5300, wall)), 700u);
  }
  EXPECT_TRUE(Lease::as_seen(told(), kHere, clocks(6500, 0)).is_over(MonotonicMs(6500)));
}

TEST(Lease, OnAnotherMonotonicClockItsDateDecidesWhatIsLeft) {
  EXPECT_EQ(left_as_seen(kHere, clocks(123, 90'300, kElsewhere)), 700u);
  EXPECT_EQ(left_as_seen(kHere, clocks(123, 95'000, kElsewhere)), 0u);
}

TEST(Lease, TheTimeLeftNeverExceedsTheWholeTime) {
  EXPECT_EQ(left_as_seen(kHere, clocks(123, 10'000, kElsewhere)), 1000u) << "a wall clock that is behind";
  EXPECT_EQ(left_as_seen(kHere, clocks(10, 90'000)), 1000u) << "a monotonic clock that began anew under its old name";
}

TEST(Lease, AClockWithoutAnIdentityEqualsNoOtherClock) { EXPECT_EQ(left_as_seen(0, clocks(5300, 90'600, 0)), 400u); }

TEST(Lease, KeepsItsDateSoThatAThirdServerSeesTheSame) {
  EXPECT_EQ(Lease::as_seen(told(), kHere, clocks(123, 90'300, kElsewhere)).end_date, UnixMs(91'000));
}

}  // namespace
}  // namespace millrace
