#include "engine/log/retention.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/log/log.h"

namespace millrace {
namespace {

// Ten messages fill a block.
constexpr BlockLimits kTens{.bytes = 4096, .messages = 10};

// The messages "1", "2", … with the tag "odd" or "even"; message n has the date n * 10.
Log log_of(uint64_t count) {
  Log log;
  for (uint64_t n = 1; n <= count; ++n) {
    log.tick(UnixMs(n * 10));
    log.append(n % 2 ? "odd" : "even", std::to_string(n), kTens);
  }
  EXPECT_EQ(log.check(), nullptr);
  return log;
}

TEST(Retention, WithoutLimitsKeepsEverything) {
  Log log = log_of(35);
  EXPECT_EQ(log.enforce_size_limits(), 0u);
  EXPECT_EQ(log.enforce_age(UnixMs(INT64_MAX)), 0u);
  EXPECT_EQ(log.next_age_due(), std::nullopt);
  EXPECT_EQ(log.tail_holder(UnixMs(1000)), TailHolder::Nothing);
}

TEST(Retention, ALimitOnCountKeepsThatMany) {
  Log log = log_of(35);
  log.set_retention({.count = 12});
  EXPECT_EQ(log.enforce_size_limits(), 23u);
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.count(), 12u);
  EXPECT_EQ(log.tail_holder(UnixMs(1000)), TailHolder::Count);
}

TEST(Retention, ALimitOnBytesKeepsTheNewestMessagesThatFit) {
  for (uint64_t limit = 1; limit < 220; ++limit) {
    SCOPED_TRACE(limit);
    Log log = log_of(35);
    log.set_retention({.bytes = limit});
    log.enforce_size_limits();
    EXPECT_EQ(log.check(), nullptr);
    if (log.count() > 1) {
      EXPECT_LE(log.payload(), limit);
    }
    if (log.count() == 35) continue;
    // "odd" or "even", and one or two digits.
    const uint64_t gone = log.first().value() - 1;
    EXPECT_GT(log.payload() + (gone % 2 ? 3 : 4) + (gone < 10 ? 1 : 2), limit) << "one more would have fitted";
  }
}

TEST(Retention, ALimitOnBytesKeepsTheNewestMessageOfAnySize) {
  Log log;
  log.append("t", "small");
  log.append("t", std::string(100, 'x'));
  log.set_retention({.bytes = 50});
  EXPECT_EQ(log.enforce_size_limits(), 1u);
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.first(), Offset(2));
  EXPECT_EQ(log.count(), 1u);
}

TEST(Retention, AMessageIsEvictedInTheMillisecondInWhichItReachesTheLimitOnAge) {
  Log log = log_of(35);  // dates 10, 20, … 350
  log.set_retention({.age_ms = 1000});
  EXPECT_EQ(log.next_age_due(), UnixMs(1010));
  EXPECT_EQ(log.enforce_age(UnixMs(1009)), 0u);
  EXPECT_EQ(log.enforce_age(UnixMs(1010)), 1u);
  EXPECT_EQ(log.next_age_due(), UnixMs(1020));
  EXPECT_EQ(log.enforce_age(UnixMs(1159)), 14u);
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.first(), Offset(16));
  EXPECT_EQ(log.tail_holder(UnixMs(1159)), TailHolder::Age);
  EXPECT_EQ(log.enforce_age(UnixMs(5000)), 20u);
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.next_age_due(), std::nullopt) << "an empty log has nothing that ages";
}

TEST(Retention, AnAgeLargerThanAllDatesEvictsNothing) {
  Log log = log_of(3);
  log.set_retention({.age_ms = INT64_MAX});
  EXPECT_EQ(log.next_age_due(), UnixMs(INT64_MAX));
  EXPECT_EQ(log.enforce_age(UnixMs(INT64_MAX)), 0u);
  EXPECT_EQ(log.check(), nullptr);
}

TEST(Retention, TheTailHolderIsTheLimitClosestToBeingReached) {
  Log log = log_of(10);  // dates 10 to 100
  log.set_retention({.count = 100, .age_ms = 1000, .bytes = log.payload() * 2});
  EXPECT_EQ(log.tail_holder(UnixMs(110)), TailHolder::Bytes);
  EXPECT_EQ(log.tail_holder(UnixMs(900)), TailHolder::Age);
  log.set_retention({.count = 11, .age_ms = 1000, .bytes = log.payload() * 2});
  EXPECT_EQ(log.tail_holder(UnixMs(110)), TailHolder::Count);
  EXPECT_EQ(log.tail_holder(UnixMs(0)), TailHolder::Count) << "a clock that went back is no age";
}

}  // namespace
}  // namespace millrace
