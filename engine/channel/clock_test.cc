#include "engine/channel/clock.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

constexpr uint64_t kHalf = Clock::kCount / 2;

TEST(Clock, StartsAtZero) {
  EXPECT_EQ(Clock().value(), 0);
  EXPECT_EQ(Clock(), Clock(0));
}

TEST(Clock, HoldsExactlyWhatADoubleHoldsExactly) {
  EXPECT_EQ(Clock::kMax, 9007199254740991);
  EXPECT_EQ(Clock::kMin, -9007199254740991);
  EXPECT_EQ(Clock::kCount, 18014398509481983u);
  for (int64_t value : {Clock::kMin, Clock::kMin + 1, int64_t{-1}, int64_t{0}, int64_t{1}, Clock::kMax}) {
    EXPECT_EQ(Clock(value).value(), value);
  }
}

TEST(Clock, AfterTheLargestComesTheSmallest) {
  EXPECT_EQ(Clock(Clock::kMax).after(1), Clock(Clock::kMin));
  EXPECT_EQ(Clock(Clock::kMax - 2).after(5), Clock(Clock::kMin + 2));
  EXPECT_EQ(Clock(Clock::kMax).after(0), Clock(Clock::kMax));
  EXPECT_EQ(Clock(-1).after(1), Clock(0));
  EXPECT_EQ(Clock(-1).after(2).value(), 1);
}

TEST(Clock, GoesRoundAsOftenAsItMust) {
  EXPECT_EQ(Clock(5).after(Clock::kCount), Clock(5));
  EXPECT_EQ(Clock(5).after(3 * Clock::kCount + 2), Clock(7));
  // The largest possible number of steps: no sum overflows.
  EXPECT_EQ(Clock(Clock::kMax).after(UINT64_MAX), Clock(Clock::kMax).after(UINT64_MAX % Clock::kCount));
  EXPECT_EQ(Clock(Clock::kMax).after(INT64_MAX), Clock(Clock::kMax).after(INT64_MAX % Clock::kCount));
}

TEST(Clock, DistancesLeadRoundTheSeam) {
  EXPECT_EQ(Clock(Clock::kMax).steps_to(Clock(Clock::kMin)), 1u);
  EXPECT_EQ(Clock(Clock::kMin).steps_to(Clock(Clock::kMax)), Clock::kCount - 1);
  EXPECT_EQ(Clock(Clock::kMax - 3).steps_to(Clock(Clock::kMin + 6)), 10u);
  EXPECT_EQ(Clock(3).steps_to(Clock(3)), 0u);
  EXPECT_EQ(Clock(-3).steps_to(Clock(4)), 7u);
}

TEST(Clock, ADistanceLeadsWhereItWasMeasuredTo) {
  const Clock clocks[] = {Clock(Clock::kMin), Clock(Clock::kMin + 1), Clock(-1),          Clock(0),
                          Clock(1),           Clock(Clock::kMax - 1), Clock(Clock::kMax), Clock(123456789)};
  for (Clock from : clocks) {
    for (Clock to : clocks) {
      EXPECT_EQ(from.after(from.steps_to(to)), to) << from.value() << " to " << to.value();
      EXPECT_LT(from.steps_to(to), Clock::kCount);
    }
    for (uint64_t steps : {uint64_t{0}, uint64_t{1}, kHalf, kHalf + 1, Clock::kCount - 1}) {
      EXPECT_EQ(from.steps_to(from.after(steps)), steps);
    }
  }
}

}  // namespace
}  // namespace millrace
