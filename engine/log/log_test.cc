#include "engine/log/log.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

// Ten messages fill a block.
constexpr BlockLimits kTens{.bytes = 4096, .messages = 10};

// Message n has the date n * 10.
Log log_of(uint64_t count) {
  Log log;
  for (uint64_t offset = 1; offset <= count; ++offset) {
    log.tick(UnixMs(offset * 10));
    log.append("tag", std::to_string(offset), kTens);
  }
  return log;
}

// The head of log_of(35) after nine messages were evicted.
LogHead head_at_ten() {
  LogHead head;
  head.first = head.evicted_end = Offset(10);
  head.next = Offset(36);
  head.clock = UnixMs(400);
  head.blocks = 4;
  head.retention.count = 5;
  return head;
}

TEST(Log, WithOneShortMessageTakesUnderFourHundredBytes) {
  Log log;
  log.append("tag", "a short message");
  EXPECT_LT(log.memory(), 400u);
}

TEST(Log, KeepsTheGivenNumberOfNewestMessages) {
  for (uint64_t keep : {0u, 1u, 9u, 10u, 11u, 34u, 35u, 36u}) {
    SCOPED_TRACE(keep);
    Log log = log_of(35);
    const uint64_t kept = std::min<uint64_t>(keep, 35);
    EXPECT_EQ(log.keep_newest(keep), 35 - kept);
    EXPECT_EQ(log.check(), nullptr);
    EXPECT_EQ(log.first(), Offset(36 - kept));
    EXPECT_EQ(log.count(), kept);
    EXPECT_EQ(log.evicted_end(), log.first());
  }
  Log log = log_of(5);
  EXPECT_EQ(log.keep_newest(UINT64_MAX), 0u);
}

TEST(Log, ACloneHasTheSameRetentionAndGroupsAndIsIndependent) {
  Log log = log_of(35);
  log.set_retention({.count = 20});
  log.enforce_size_limits();
  log.create_group("g", Offset(20));
  Log copy = log.clone();
  EXPECT_EQ(copy.check(), nullptr);
  EXPECT_EQ(copy.retention(), log.retention());
  EXPECT_EQ(copy.first(), Offset(16));
  ASSERT_NE(copy.group("g"), nullptr);
  log.evict_before(Offset(36));
  EXPECT_EQ(log.group("g")->next(), Offset(36));
  EXPECT_EQ(copy.group("g")->next(), Offset(20));
}

TEST(Log, RestoresTheRetentionFromAHeadThatBelongsToItsBlocks) {
  const LogHead head = head_at_ten();
  Log log = log_of(35);
  ASSERT_TRUE(log.restore_head(head));
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.first(), Offset(10));
  EXPECT_EQ(log.clock(), UnixMs(400));
  EXPECT_EQ(log.retention(), head.retention);
}

TEST(Log, RefusesAHeadThatClaimsExistingMessagesAreEvicted) {
  LogHead head = head_at_ten();
  head.evicted_end = Offset(11);
  Log log = log_of(35);
  const auto restored = log.restore_head(head);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().text, "a log head that does not belong to its blocks");
  EXPECT_EQ(log.first(), Offset(1));
  EXPECT_EQ(log.clock(), UnixMs(350));
  EXPECT_EQ(log.retention(), Retention());
}

TEST(Log, ANewLogAcceptsTheHeadOfAnEmptyLog) {
  LogHead head;
  head.first = head.next = head.evicted_end = Offset(500);
  head.clock = UnixMs(7);
  Log log;
  ASSERT_TRUE(log.restore_head(head));
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.last(), Offset(499));
}

}  // namespace
}  // namespace millrace
