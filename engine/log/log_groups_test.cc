// The groups of a log: by name, for retention, for the next date, and in a copy.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "engine/log/log.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

constexpr Retry kRetry100{.retry_ms = 100, .expire_ms = 0};

Log log_of(int messages) {
  Log log;
  for (int i = 0; i < messages; ++i) log.append("t", "e", {.bytes = 64, .messages = 5});
  return log;
}

void read(Log& log, ByteView name, uint64_t count, uint64_t now, std::optional<Retry> retry = kRetry100) {
  Group& group = *log.group(name);
  group.apply(group.give_up_due(UnixMs(now), SIZE_MAX));
  group.apply(group.plan(log.next(), count, UnixMs(now), retry, {}, 1000));
  EXPECT_STREQ(log.check(), nullptr);
}

TEST(LogGroups, AreFoundByNameUntilTheyAreDropped) {
  Log log = log_of(3);
  EXPECT_EQ(log.group("a"), nullptr);
  EXPECT_FALSE(log.drop_group("a"));
  EXPECT_TRUE(log.groups().empty());
  log.create_group("a", Offset(1));
  log.create_group("", Offset(4));
  EXPECT_EQ(log.group("a")->next(), Offset(1));
  EXPECT_EQ(log.group("")->next(), Offset(4));
  EXPECT_EQ(log.group("b"), nullptr);
  EXPECT_TRUE(log.drop_group("a"));
  EXPECT_EQ(log.group("a"), nullptr);
  EXPECT_EQ(log.groups().size(), 1u);
  EXPECT_TRUE(log.drop_group(""));
  EXPECT_TRUE(log.groups().empty());
}

TEST(LogGroups, AckedRetentionEvictsExactlyWhatEveryGroupHasFinished) {
  Log log = log_of(10);
  log.set_retention({.acked = true});
  EXPECT_EQ(log.enforce_acked(), 0u) << "a log with no group keeps all";
  EXPECT_EQ(log.tail_holder(UnixMs(0)), TailHolder::NoGroup);
  log.create_group("slow", log.first());
  log.create_group("fast", log.first());
  read(log, "fast", 8, 0, {});
  EXPECT_EQ(log.enforce_acked(), 0u);
  EXPECT_EQ(log.tail_holder(UnixMs(0)), TailHolder::Group);
  EXPECT_EQ(log.slowest_group().first, "slow");

  read(log, "slow", 6, 0);
  EXPECT_EQ(log.enforce_acked(), 0u) << "delivered is not finished";
  log.group("slow")->acknowledge(Offset(2), Offset(4));
  EXPECT_EQ(log.enforce_acked(), 0u) << "1 is pending";
  log.group("slow")->acknowledge(Offset(1), Offset(1));
  EXPECT_EQ(log.enforce_acked(), 4u);
  EXPECT_EQ(log.first(), Offset(5));
  log.group("slow")->acknowledge(Offset(5), Offset(6));
  EXPECT_EQ(log.enforce_acked(), 2u);
  read(log, "slow", 10, 0, {});
  EXPECT_EQ(log.enforce_acked(), 2u) << "the other has read to 8";
  EXPECT_TRUE(log.drop_group("fast"));
  EXPECT_EQ(log.enforce_acked(), 2u);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.group("slow")->counters().lost, 0u);
  EXPECT_STREQ(log.check(), nullptr);
}

TEST(LogGroups, WithoutAckedRetentionNothingIsEvicted) {
  Log log = log_of(10);
  log.create_group("g", log.next());
  EXPECT_EQ(log.enforce_acked(), 0u);
  EXPECT_EQ(log.tail_holder(UnixMs(0)), TailHolder::Nothing);
}

TEST(LogGroups, EveryWayToEvictUpdatesTheGroups) {
  Log log = log_of(20);
  log.create_group("g", log.first());
  read(log, "g", 20, 0);
  log.keep_newest(15);
  EXPECT_EQ(log.group("g")->pending().count(), 15u);
  log.set_retention({.count = 12});
  log.enforce_size_limits();
  EXPECT_EQ(log.group("g")->pending().count(), 12u);
  log.set_retention({.age_ms = 1});
  log.enforce_age(UnixMs(5));
  EXPECT_EQ(log.group("g")->pending().count(), 0u);
  EXPECT_EQ(log.group("g")->counters().lost, 20u);
  EXPECT_STREQ(log.check(), nullptr);
}

Now wall(uint64_t ms) {
  Now now;
  now.wall = UnixMs(ms);
  return now;
}

TEST(LogGroups, TheNextEventIsTheEarliestOfAll) {
  Log log = log_of(5);
  log.create_group("a", log.first());
  log.create_group("b", log.first());
  EXPECT_EQ(log.ms_until_group_event(wall(1000)), std::nullopt);
  read(log, "a", 1, 1000);
  EXPECT_EQ(log.ms_until_group_event(wall(1000)), 100u);
  read(log, "b", 1, 900, Retry{.retry_ms = 500, .expire_ms = 50});
  EXPECT_EQ(log.ms_until_group_event(wall(910)), 40u);
  EXPECT_EQ(log.ms_until_group_event(wall(2000)), 0u);
  log.drop_group("b");
  EXPECT_EQ(log.ms_until_group_event(wall(1001)), 99u);
}

TEST(LogGroups, TheOldestUnfinishedMessageIsTheOldestThatIsPendingOrNotDelivered) {
  Log log;
  for (uint64_t date : {100U, 200U, 300U, 400U}) {
    log.tick(UnixMs(date));
    log.append("t", "e");
  }
  const Group& group = log.create_group("g", log.first());
  EXPECT_EQ(log.oldest_unfinished(group), UnixMs(100));
  read(log, "g", 3, 1000);
  log.group("g")->acknowledge(Offset(1), Offset(2));
  EXPECT_EQ(log.oldest_unfinished(group), UnixMs(300)) << "it is pending";
  log.group("g")->acknowledge(Offset(3), Offset(3));
  EXPECT_EQ(log.oldest_unfinished(group), UnixMs(400)) << "it was not delivered";
  read(log, "g", 1, 1000, std::nullopt);
  EXPECT_EQ(log.oldest_unfinished(group), std::nullopt);
}

TEST(LogGroups, ACloneHasGroupsOfItsOwn) {
  Log log = log_of(5);
  Group& group = log.create_group("g", log.first());
  group.apply(group.plan(log.next(), 3, UnixMs(0), kRetry100, "consumer", 1000));
  Log clone = log.clone();
  group.acknowledge(Offset(1), Offset(3));
  log.drop_group("g");
  EXPECT_STREQ(clone.check(), nullptr);
  EXPECT_EQ(clone.group("g")->pending().count(), 3u);
  EXPECT_EQ(clone.group("g")->acknowledge(Offset(1), Offset(2)), 2u);
  EXPECT_EQ(clone.group("g")->consumers().count(), 1u);
  EXPECT_STREQ(clone.check(), nullptr);
}

// Any client may send TAPPLY, in any order.
TEST(LogGroups, AHeadThatEvictsUpdatesTheGroups) {
  Log log = log_of(4);
  log.create_group("g", log.first());
  read(log, "g", 1, 0);
  LogHead head;
  head.first = Offset(3);
  head.next = Offset(5);
  ASSERT_TRUE(log.restore_head(head));
  EXPECT_STREQ(log.check(), nullptr);
  EXPECT_EQ(log.group("g")->next(), Offset(3));
  EXPECT_EQ(log.group("g")->counters().lost, 2u);
}

TEST(LogGroups, ALogWithAGroupCannotChangeItsFirstOffset) {
  Log log;
  log.create_group("g", log.first());
  LogHead head;
  head.first = head.next = Offset(100);
  EXPECT_FALSE(log.restore_head(head));
  EXPECT_FALSE(
      log.append_block({.first = Offset(50), .first_time = UnixMs(0), .count = 1}, Buffer(), testing::test_packer()));
  EXPECT_STREQ(log.check(), nullptr);
  EXPECT_EQ(log.next(), Offset(1));
}

TEST(LogGroups, TheirMemoryIsPartOfTheLogsMemory) {
  Log log = log_of(1000);
  const uint64_t alone = log.memory();
  log.create_group(std::string(100, 'g'), log.first());
  EXPECT_GT(log.memory(), alone + 100 + sizeof(Group));
  const uint64_t idle = log.memory();
  read(log, std::string(100, 'g'), 1000, 0);
  EXPECT_GE(log.memory(), idle + log.groups().begin()->second.pending().memory());
}

}  // namespace
}  // namespace millrace
