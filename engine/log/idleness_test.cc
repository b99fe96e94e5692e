#include "engine/log/idleness.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

constexpr uint64_t kIdle = 1600;

TEST(Idleness, UsesAreReportedAtMostSixteenTimesInOneIdleTime) {
  Idleness idleness;
  uint64_t told = 0;
  for (uint64_t now = 10'000; now < 10'000 + kIdle; ++now) told += idleness.use(UnixMs(now), kIdle);
  EXPECT_EQ(told, 16u);
}

TEST(Idleness, WithoutAnIdleTimeItIsNeverOver) {
  Idleness idleness;
  EXPECT_FALSE(idleness.use(UnixMs(10'000), 0));
  EXPECT_FALSE(idleness.is_over(UnixMs(1'000'000), 0));
  EXPECT_EQ(idleness.next_look(0), std::nullopt);
}

TEST(Idleness, ItIsOverIfNoReaderAnswersTheQuestion) {
  Idleness idleness;
  idleness.set_used(UnixMs(10'000));
  EXPECT_EQ(idleness.next_look(kIdle), UnixMs(11'600));
  EXPECT_FALSE(idleness.is_over(UnixMs(11'599), kIdle));
  EXPECT_FALSE(idleness.is_over(UnixMs(11'600), kIdle)) << "readers are asked";
  EXPECT_EQ(idleness.next_look(kIdle), UnixMs(11'701));
  EXPECT_FALSE(idleness.is_over(UnixMs(11'700), kIdle));
  EXPECT_TRUE(idleness.is_over(UnixMs(11'701), kIdle));
}

TEST(Idleness, AReaderThatAnswersKeepsTheGroup) {
  Idleness idleness;
  idleness.set_used(UnixMs(10'000));
  EXPECT_FALSE(idleness.is_over(UnixMs(11'600), kIdle));
  EXPECT_TRUE(idleness.use(UnixMs(11'601), kIdle));
  EXPECT_FALSE(idleness.is_over(UnixMs(13'000), kIdle));
  EXPECT_EQ(idleness.next_look(kIdle), UnixMs(13'201));
}

TEST(Idleness, AfterALongRestartReadersHaveTimeToComeBack) {
  Idleness idleness;
  idleness.set_used(UnixMs(10'000));
  EXPECT_FALSE(idleness.is_over(UnixMs(99'000), kIdle));
  EXPECT_FALSE(idleness.is_over(UnixMs(99'100), kIdle));
  EXPECT_TRUE(idleness.is_over(UnixMs(99'101), kIdle));
}

TEST(Idleness, AClockThatWasSetBackDoesNotHideAUse) {
  Idleness idleness;
  idleness.set_used(UnixMs(99'000));
  EXPECT_TRUE(idleness.use(UnixMs(10'000), kIdle));
  EXPECT_EQ(idleness.used(), UnixMs(10'000));
}

}  // namespace
}  // namespace millrace
