// What LogOperations reports about background work, and when it needs to know the time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/log/log_operations.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

class NoLogs final : public OtherLogs {
 public:
  Result<void> may_write(const Place<Log>&, ByteView) override { return {}; }
  bool write(const Place<Log>&, ByteView, const WriteRequest&) override { return false; }
};

class Nowhere final : public MessageSink {
 public:
  void begin(const LogBounds&, std::optional<uint64_t>) override {}
  void evicted(uint64_t) override {}
  void message(const Message&, uint32_t) override {}
  void end(uint64_t) override {}
};

class SpentAtOnce final : public Budget {
 public:
  bool is_spent() const override { return true; }
};

// Is spent after the given number of calls.
class SpentAfter final : public Budget {
 public:
  explicit SpentAfter(int looks) : looks_(looks) {}
  bool is_spent() const override { return looks_-- <= 0; }

 private:
  mutable int looks_;
};

class LogUpkeep : public ::testing::Test {
 protected:
  // Writes text that can be packed, at this date.
  void write(uint64_t date, int messages) {
    const std::string entry(200, 'x');
    const std::vector<ByteView> pair = {"tag", entry};
    for (int i = 0; i < messages; ++i) {
      operations_.write(place_, {.backlog = {}, .pairs = pair}, {.now = {.wall = UnixMs(date)}});
    }
  }
  void read(ByteView consumer, uint64_t count) {
    ReadRequest request;
    request.group = GroupRead{.name = "g", .consumer = consumer, .retry = Retry{1'000, 0}};
    request.count = count;
    Nowhere nowhere;
    operations_.read(place_, request, {.now = {.wall = UnixMs(5'000), .monotonic = MonotonicMs(5'000)}}, nowhere);
  }
  AckRequest ack(std::optional<ByteView> consumer, uint64_t from, uint64_t to) {
    return {.group = "g", .consumer = consumer, .ranges = {{Offset(from), Offset(to)}}};
  }
  uint64_t acknowledged(std::optional<ByteView> consumer, uint64_t from, uint64_t to) {
    AckRequest request = ack(consumer, from, to);
    return *operations_.acknowledge(place_, request, {}).answer;
  }
  Log& log() { return *place_.get(); }

  NoLogs others_;
  LogLimits limits_;
  HashKey key_{};
  LogOperations operations_{others_, limits_, testing::test_packer(), key_, [](HashKey& bytes) { bytes.fill(1); }};
  OwnPlace<Log> place_{"log"};
};

TEST_F(LogUpkeep, PacksColdFullBlocks) {
  write(1'000, 200);
  write(2'000, 200);
  const size_t blocks = log().block_count();
  const PackingTerms terms{.age_ms = 500, .level = 1};
  operations_.pack_cold(log(), UnixMs(1'400), terms, NoLimit::instance());
  EXPECT_EQ(log().packed_blocks(), 0u);
  operations_.pack_cold(log(), UnixMs(1'500), terms, SpentAtOnce());
  EXPECT_EQ(log().packed_blocks(), 0u);
  operations_.pack_cold(log(), UnixMs(1'500), terms, NoLimit::instance());
  const uint64_t first = log().packed_blocks();
  EXPECT_GT(first, 0u);
  EXPECT_LT(first, blocks - 1);
  operations_.pack_cold(log(), UnixMs(2'500), terms, NoLimit::instance());
  EXPECT_EQ(log().packed_blocks(), blocks - 1) << "all but the one that is written to";
  EXPECT_EQ(operations_.counters().blocks_packed, blocks - 1);
  EXPECT_EQ(operations_.counters().saved_by_packing, log().saved_by_packing());
}

TEST_F(LogUpkeep, ALogWithNothingToDoHasNoFirstDate) {
  write(1'000, 3);
  EXPECT_EQ(LogOperations::first_date(log()), std::nullopt);
  EXPECT_FALSE(LogOperations::has_long_work(log()));
  log().set_retention({.age_ms = 50});
  EXPECT_EQ(LogOperations::first_date(log()), UnixMs(1'050));
  read("c", 1);
  EXPECT_EQ(LogOperations::first_date(log()), UnixMs(0)) << "what is pending is found by looking";
  log().set_retention({.latest = true});
  EXPECT_TRUE(LogOperations::has_long_work(log()));
}

TEST_F(LogUpkeep, AnAcknowledgementNeedsTheTimeOnlyForAGroupThatCanBecomeIdle) {
  EXPECT_FALSE(LogOperations::acknowledge_takes_time(nullptr, ack({}, 1, 1)));
  write(1'000, 3);
  read("c", 3);
  EXPECT_FALSE(LogOperations::acknowledge_takes_time(&log(), ack({}, 1, 1)));
  SetGroupRequest request;
  request.group = "g";
  request.idle_ms = 1'000;
  ASSERT_TRUE(operations_.set_group(place_, request, {.now = {.wall = UnixMs(5'000)}}).answer);
  EXPECT_TRUE(LogOperations::acknowledge_takes_time(&log(), ack({}, 1, 1)));
}

TEST_F(LogUpkeep, AcknowledgesTheMessagesOfOneConsumerAmongMany) {
  constexpr uint64_t kEach = 3'000;
  write(1'000, 2 * kEach);
  for (uint64_t i = 0; i < kEach; ++i) {
    read("odd", 1);
    read("even", 1);
  }
  EXPECT_EQ(acknowledged("nobody", 1, 2 * kEach), 0u);
  EXPECT_EQ(acknowledged("odd", 3, 2 * kEach), kEach - 1);
  EXPECT_EQ(acknowledged("odd", 1, 2 * kEach), 1u);
  EXPECT_EQ(acknowledged("odd", 1, 2 * kEach), 0u);
  const Group& group = *log().group("g");
  EXPECT_EQ(group.pending().count(), kEach);
  EXPECT_EQ(group.pending().first(), Offset(2));
  EXPECT_EQ(acknowledged({}, 1, 2 * kEach - 1), kEach - 1);
  EXPECT_EQ(group.pending().count(), 1u);
  EXPECT_EQ(acknowledged("even", 1, 2 * kEach), 1u);
  EXPECT_TRUE(group.pending().empty());
  EXPECT_EQ(log().check(), nullptr);
}

TEST_F(LogUpkeep, DueMessagesAreWrittenInPartsWhileTheBudgetLasts) {
  const std::vector<ByteView> pair = {"tag", "entry"};
  for (int i = 0; i < 1'000; ++i) {
    operations_.write(place_, {.backlog = {}, .pairs = pair, .at = UnixMs(2'000)}, {.now = {.wall = UnixMs(1'000)}});
  }
  const Call call{.now = {.wall = UnixMs(2'000)}};
  uint64_t written = 0;
  for (int turns = 1; log().count() < 1'000; ++turns) {
    const Consequences follow = operations_.look_after(place_, call, SpentAtOnce());
    EXPECT_GT(log().count(), written) << "some are written in any case";
    EXPECT_LE(log().count() - written, 100u) << "and not many more";
    written = log().count();
    EXPECT_EQ(follow.due.has_value(), written < 1'000) << "it goes on at once";
    ASSERT_LE(turns, 100);
  }
  EXPECT_TRUE(log().extras()->schedule.empty());
}

TEST_F(LogUpkeep, ADeletionByTagContinuesInPartsAndReportsItsProgress) {
  write(1'000, 5'000);
  DeleteRequest request;
  request.tags = {"tag"};
  const Call call{.now = {.wall = UnixMs(2'000)}};
  ASSERT_TRUE(operations_.delete_messages(place_, request, call).answer);
  EXPECT_EQ(log().count(), 5'000u);
  Offset at = log().extras()->deletions.front().at;
  EXPECT_EQ(at, Offset(1));
  for (int turns = 1; log().extras() != nullptr && !log().extras()->deletions.empty(); ++turns) {
    const TagDeletion& deletion = log().extras()->deletions.front();
    EXPECT_GE(deletion.at, at);
    EXPECT_EQ(log().count(), 5'001 - deletion.at.value()) << "all before it are gone, and no other";
    at = deletion.at;
    const uint64_t before = log().count();
    operations_.look_after(place_, call, SpentAfter(2));
    EXPECT_LE(before - log().count(), 1'000u);
    ASSERT_LE(turns, 1'000);
  }
  EXPECT_EQ(log().count(), 0u);
}

TEST_F(LogUpkeep, TheRestOfTheWorkDoesNotWaitForTheWallClock) {
  const Call call{.now = {.wall = UnixMs(2'000), .monotonic = MonotonicMs(70)}};
  const std::vector<ByteView> pair = {"tag", "entry"};
  for (int i = 0; i < 300; ++i) {
    operations_.write(place_, {.backlog = {}, .pairs = pair, .at = UnixMs(2'000)}, {.now = {.wall = UnixMs(1'000)}});
  }
  operations_.write(place_, {.backlog = {}, .pairs = pair, .at = UnixMs(9'000)}, call);
  Consequences follow = operations_.look_after(place_, call, SpentAtOnce());
  EXPECT_LT(log().count(), 300u);
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(71)) << "clients come first";
  operations_.look_after(place_, call, NoLimit::instance());
  EXPECT_EQ(log().count(), 300u);

  DeleteRequest request;
  request.tags = {"tag"};
  auto doomed = operations_.delete_messages(place_, request, call);
  EXPECT_EQ(doomed.consequences.due_monotonic, MonotonicMs(70));
  follow = operations_.look_after(place_, call, SpentAtOnce());
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(71));
  EXPECT_EQ(follow.due, UnixMs(9'000)) << "of the message that is scheduled for later";
}

// With ten thousand groups, looking at each of them was most of the cost of a write.
TEST_F(LogUpkeep, AWriteDoesNotAccessGroups) {
  write(1'000, 3);
  read("c", 3);
  log().create_group("h", Offset(1));
  log().set_retention({.count = 3, .age_ms = 60'000});
  const Group& reader = *log().group("g");
  const Group& other = *log().group("h");
  ASSERT_EQ(log().ms_until_group_event({.wall = UnixMs(5'000), .monotonic = MonotonicMs(5'000)}), 1'000u);
  const std::vector<ByteView> pair = {"tag", "entry"};
  const auto written = operations_.write(place_, {.backlog = {}, .pairs = pair}, {.now = {.wall = UnixMs(5'000)}});
  EXPECT_EQ(written.consequences.due, UnixMs(61'000)) << "that of the oldest message";
  EXPECT_EQ(written.consequences.due_monotonic, std::nullopt)
      << "the group's date, which is earlier, was not asked for";
  EXPECT_EQ(log().first(), Offset(2));
  EXPECT_EQ(reader.counters().lost + other.counters().lost, 0u) << "neither has been told yet";
  EXPECT_EQ(log().group("h")->counters().lost, 1u) << "who asks for it finds it up to date";
  EXPECT_EQ(reader.counters().lost, 0u) << "and tells no other";
  EXPECT_EQ(log().group("g")->counters().lost, 1u);
  EXPECT_EQ(log().check(), nullptr);
}

// The log caches the group that was looked up last.
TEST_F(LogUpkeep, ADroppedGroupIsNotFound) {
  write(1'000, 3);
  log().create_group("g", Offset(1));
  log().create_group("h", Offset(2));
  ASSERT_NE(log().group("g"), nullptr);
  const Log copy = log().clone();
  EXPECT_TRUE(log().drop_group("g"));
  EXPECT_EQ(log().group("g"), nullptr);
  EXPECT_EQ(log().group("h")->next(), Offset(2));
  EXPECT_EQ(copy.group("g")->next(), Offset(1));
  EXPECT_TRUE(log().drop_group("h"));
  EXPECT_EQ(log().group("h"), nullptr);
}

TEST_F(LogUpkeep, AcknowledgesManyBatchesInParts) {
  write(1'000, 10);
  for (int i = 0; i < 10; ++i) read(i % 2 == 0 ? "ann" : "bob", 1);
  limits_.batches_at_once = 4;
  AckRequest request = ack({}, 1, 9);
  EXPECT_TRUE(operations_.acknowledge_may_go_on(request));
  EXPECT_FALSE(operations_.acknowledge_may_go_on(ack({}, 1, 4)));
  std::vector<uint64_t> pending;
  std::vector<bool> waits;
  std::optional<uint64_t> answer;
  for (bool goes_on = true; goes_on;) {
    const auto done = operations_.acknowledge(place_, request, {.now = {}, .decides = true, .may_wait = true});
    goes_on = done.consequences.wait.has_value();
    waits.push_back(goes_on);
    pending.push_back(log().group("g")->pending().count());
    EXPECT_FALSE(done.consequences.effects.empty());
    EXPECT_FALSE(done.consequences.effects.is_request_alone()) << "a replica repeats the part, not the whole";
    if (!goes_on) answer = *done.answer;
  }
  EXPECT_EQ(pending, (std::vector<uint64_t>{6, 2, 1}));
  EXPECT_EQ(waits, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(answer, 9U);
}

TEST_F(LogUpkeep, AcknowledgesInPartsOnlyMessagesOfTheConsumer) {
  write(1'000, 10);
  for (int i = 0; i < 10; ++i) read(i % 2 == 0 ? "ann" : "bob", 1);
  limits_.batches_at_once = 3;
  AckRequest request = ack("bob", 1, 8);
  std::optional<uint64_t> answer;
  while (!answer) {
    const auto done = operations_.acknowledge(place_, request, {.now = {}, .decides = true, .may_wait = true});
    if (!done.consequences.wait) answer = *done.answer;
  }
  EXPECT_EQ(answer, 4U);
  EXPECT_EQ(log().group("g")->pending().count(), 6U);
}

TEST_F(LogUpkeep, AcknowledgesAllPendingMessagesAtOnce) {
  write(1'000, 10);
  for (int i = 0; i < 10; ++i) read(i % 2 == 0 ? "ann" : "bob", 1);
  limits_.batches_at_once = 3;
  AckRequest request = ack({}, 1, 10);
  const auto done = operations_.acknowledge(place_, request, {.now = {}, .decides = true, .may_wait = true});
  EXPECT_EQ(*done.answer, 10U);
  EXPECT_FALSE(done.consequences.wait);
  EXPECT_TRUE(done.consequences.effects.is_request_alone());
}

TEST_F(LogUpkeep, HandsOverWhatAGroupForgets) {
  constexpr uint64_t kCount = 5'000;
  const auto fill = [&] {
    log().group("g")->seek(Offset(1));
    for (uint64_t i = 0; i < kCount; ++i) read("consumer " + std::to_string(i), 1);
    EXPECT_EQ(log().group("g")->pending().range_count(), kCount);
    EXPECT_FALSE(log().has_forgotten());
  };
  const auto slices = [&] {
    Forgotten forgotten = log().take_forgotten();
    EXPECT_FALSE(log().has_forgotten());
    EXPECT_EQ(forgotten.parts(), 2 * kCount) << "ranges and consumers";
    size_t count = 1;
    while (forgotten.free_some()) ++count;
    return count;
  };
  constexpr size_t kFewest = kCount / 2'048 + kCount / 500;
  write(1'000, static_cast<int>(kCount));
  log().create_group("g", Offset(1));

  fill();
  EXPECT_EQ(acknowledged({}, 1, kCount), kCount);
  EXPECT_GT(slices(), kFewest);
  fill();
  operations_.seek_group(place_, {SeekGroupRequest::Where::AtOffset, "g", Offset(1)}, {});
  EXPECT_TRUE(log().group("g")->pending().empty());
  EXPECT_GT(slices(), kFewest);
  fill();
  log().evict_before(Offset(kCount + 1));
  EXPECT_EQ(log().group("g")->counters().lost, kCount);
  EXPECT_GT(slices(), kFewest);
}

TEST_F(LogUpkeep, HandsOverWhatADroppedGroupHadPending) {
  write(1'000, 2'000);
  log().create_group("g", Offset(1));
  for (int i = 0; i < 2'000; ++i) read(i % 2 == 0 ? "ann" : "bob", 1);
  EXPECT_TRUE(log().drop_group("g"));
  EXPECT_EQ(log().group("g"), nullptr);
  EXPECT_TRUE(log().groups().empty());
  EXPECT_TRUE(log().has_forgotten());
  EXPECT_STREQ(log().check(), nullptr);
  EXPECT_EQ(log().take_forgotten().parts(), 2'002U);
  EXPECT_FALSE(log().has_forgotten());
  EXPECT_EQ(log().take_forgotten().parts(), 0U);
}

TEST_F(LogUpkeep, FreesAtOnceTheLittleThatAGroupForgets) {
  write(1'000, 10);
  for (int i = 0; i < 10; ++i) read(i % 2 == 0 ? "ann" : "bob", 1);
  EXPECT_EQ(acknowledged({}, 1, 10), 10U);
  EXPECT_FALSE(log().has_forgotten());
}

TEST_F(LogUpkeep, AcknowledgesAtOnceIfTheRequestMayNotWait) {
  write(1'000, 10);
  for (int i = 0; i < 10; ++i) read(i % 2 == 0 ? "ann" : "bob", 1);
  limits_.batches_at_once = 3;
  EXPECT_EQ(acknowledged({}, 1, 9), 9U);
}

}  // namespace
}  // namespace millrace
