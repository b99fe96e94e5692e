// Reads by LogOperations: what ends an answer, and what a read by tag does when it may not search further.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/log/log_operations.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

// Stores what it gets.
class Answer final : public MessageSink {
 public:
  void begin(const LogBounds& told, std::optional<uint64_t> entries) override {
    bounds = told;
    told_before = entries;
  }
  void evicted(uint64_t count) override { evicted_count = count; }
  void message(const Message& message, uint32_t) override { offsets.push_back(message.offset.value()); }
  void end(uint64_t entries) override {
    EXPECT_EQ(entries, offsets.size() + evicted_count);
    if (told_before) {
      EXPECT_EQ(entries, *told_before);
    }
    is_ended = true;
  }

  std::vector<uint64_t> offsets;
  LogBounds bounds;
  std::optional<uint64_t> told_before;
  uint64_t evicted_count = 0;
  bool is_ended = false;
};

// Is spent from the given number of calls on.
class Asked final : public Budget {
 public:
  explicit Asked(int times) : left_(times) {}
  bool is_spent() const override { return --left_ <= 0; }

 private:
  mutable int left_;
};

class NoOthers final : public OtherLogs {
 public:
  Result<void> may_write(const Place<Log>&, ByteView) override { return {}; }
  bool write(const Place<Log>&, ByteView, const WriteRequest& request) override {
    letters += request.pairs.size() / 2;
    for (ByteView part : request.pairs) bytes += part.size();
    return true;
  }
  uint64_t letters = 0, bytes = 0;
};

using Offsets = std::vector<uint64_t>;

class LogReading : public ::testing::Test {
 protected:
  void write(ByteView tag, const std::string& entry, int times = 1) {
    const std::vector<ByteView> pair = {tag, entry};
    for (int i = 0; i < times; ++i) operations_.write(place_, {.backlog = {}, .pairs = pair}, call_);
  }
  Outcome<ReadResult> read(ReadRequest& request, const Budget& budget = NoLimit::instance()) {
    answer_ = {};
    return operations_.read(place_, request, call_, answer_, budget);
  }
  Offsets offsets(ReadRequest request) {
    EXPECT_TRUE(read(request).answer);
    return answer_.offsets;
  }
  static ReadRequest from(uint64_t offset, uint64_t count) {
    ReadRequest request;
    request.start = StartOffset::at(Offset(offset));
    request.count = count;
    return request;
  }

  NoOthers others_;
  LogLimits limits_{.blocks = {.bytes = 512, .messages = 16}, .pending_max = 1'000'000, .read_bytes = 1'000};
  HashKey key_{};
  LogOperations operations_{others_, limits_, testing::test_packer(), key_, [](HashKey& bytes) { bytes.fill(1); }};
  OwnPlace<Log> place_{"orders"};
  Call call_{.now = {.wall = UnixMs(1000)}, .decides = true, .may_wait = true};
  Answer answer_;
};

TEST_F(LogReading, PendingMessagesExpireWithoutAReaderAfterTheClockWasSetBackBeforeARestart) {
  constexpr uint64_t kHour = 3'600'000;
  call_.now = {.wall = UnixMs(10 * kHour), .monotonic = MonotonicMs(500)};
  write("t", "e");
  ReadRequest request = from(1, 1);
  request.group = GroupRead{};
  request.group->name = "g";
  request.group->retry = Retry{.retry_ms = 1000, .expire_ms = 5000};
  ASSERT_EQ(offsets(request), Offsets{1});
  // The next process has another monotonic clock.
  Group& group = *place_.get()->group("g");
  group.stop_clock();
  call_.now = {.wall = UnixMs(9 * kHour), .monotonic = MonotonicMs(100)};
  const auto due = operations_.look_after(place_, call_, NoLimit::instance()).due_monotonic;
  ASSERT_TRUE(due);
  call_.now = {.wall = UnixMs(9 * kHour + 5001), .monotonic = MonotonicMs(5101)};
  operations_.look_after(place_, call_, NoLimit::instance());
  EXPECT_EQ(group.pending().count(), 0u);
  EXPECT_EQ(group.counters().expired, 1u);
}

TEST_F(LogReading, AnAnswerEndsBeforeItExceedsTheBytesButHasOneMessage) {
  write("t", std::string(99, 'e'), 30);  // 100 bytes each
  EXPECT_EQ(offsets(from(1, 100)).size(), 10u) << "as the limits say";
  auto request = from(5, 100);
  request.max_bytes = 299;
  EXPECT_EQ(offsets(request), (Offsets{5, 6}));
  request.max_bytes = 300;
  EXPECT_EQ(offsets(request), (Offsets{5, 6, 7}));
  request.max_bytes = 1;
  EXPECT_EQ(offsets(request), Offsets{5});
  request.max_bytes = 1'000'000;
  EXPECT_EQ(offsets(request).size(), 26u) << "more than the limits say, when asked to";
  EXPECT_EQ(answer_.told_before, 26u) << "known in advance where all surely fit";
  const std::vector<ByteView> tags = {"t"};
  request.tags = tags;
  request.max_bytes = 250;
  EXPECT_EQ(offsets(request), (Offsets{5, 6}));
}

TEST_F(LogReading, AGroupGetsOnlyMessagesThatFitIntoTheAnswer) {
  write("t", std::string(99, 'e'), 30);
  ReadRequest request = from(1, 100);
  request.group = GroupRead{.name = "g", .consumer = {}, .retry = Retry{.retry_ms = 10, .expire_ms = 0}};
  EXPECT_EQ(offsets(request).size(), 10u);
  EXPECT_EQ(place_.get()->group("g")->pending().count(), 10u);
  request.max_bytes = 350;
  EXPECT_EQ(offsets(request), (Offsets{11, 12, 13}));
  EXPECT_EQ(place_.get()->group("g")->next(), Offset(14));
  request.max_bytes = 1;
  EXPECT_EQ(offsets(request), Offsets{14});
  call_.now.wall = UnixMs(5000);
  request.max_bytes = 500;
  const size_t again = offsets(request).size();
  EXPECT_EQ(again, 5u) << "redeliveries count too";
}

TEST_F(LogReading, AReadBackwardsStartsAtTheOffsetAndEndsAtTheFirstMessage) {
  write("a", "1", 20);
  operations_.evict(place_, {.up_to = Offset(5), .keep = {}}, call_);
  auto request = from(9, 3);
  request.backwards = true;
  EXPECT_EQ(offsets(request), (Offsets{9, 8, 7}));
  request.count = 100;
  EXPECT_EQ(offsets(request), (Offsets{9, 8, 7, 6}));
  auto newest = request;
  newest.start = StartOffset::before_next(0);
  newest.count = 2;
  EXPECT_EQ(offsets(newest), (Offsets{20, 19}));
  auto evicted = from(5, 3);
  evicted.backwards = true;
  EXPECT_EQ(offsets(evicted), Offsets{});
  request.max_bytes = 5;
  EXPECT_EQ(offsets(request), (Offsets{9, 8}));
}

TEST_F(LogReading, ReadsBackwardsByTag) {
  for (int i = 0; i < 100; ++i) write(i % 10 == 0 ? "rare" : "common", "e");
  auto request = from(95, 3);
  const std::vector<ByteView> tags = {"rare"};
  request.tags = tags;
  request.backwards = true;
  EXPECT_EQ(offsets(request), (Offsets{91, 81, 71}));
}

// --- the bound of a read by tag ---

class BoundedSearch : public LogReading {
 protected:
  BoundedSearch() {
    for (int i = 1; i <= 5000; ++i) write("tag " + std::to_string(i), "e");
    many_.push_back("tag 4000");
    for (int i = 0; i < 200; ++i) names_.push_back("none " + std::to_string(i));
    many_.insert(many_.end(), names_.begin(), names_.end());
  }
  ReadRequest search(uint64_t offset = 1) const {
    auto request = from(offset, 10);
    request.tags = many_;
    return request;
  }

  std::vector<std::string> names_;
  std::vector<ByteView> many_;
};

TEST_F(BoundedSearch, WithInfoReportsWhereToContinueUntilTheMessageIsFound) {
  auto request = search();
  request.with_info = true;
  Offset at(1);
  int calls = 0;
  for (; calls < 1000; ++calls) {
    request.start = StartOffset::at(at);
    request.from.reset();
    const auto outcome = read(request, Asked(3));
    ASSERT_TRUE(outcome.answer);
    ASSERT_FALSE(outcome.consequences.wait);
    ASSERT_TRUE(answer_.is_ended);
    if (!answer_.offsets.empty()) break;
    EXPECT_EQ(answer_.bounds.first, Offset(1));
    ASSERT_GE(answer_.bounds.last, at) << "what was looked at";
    ASSERT_LT(answer_.bounds.last, Offset(4000));
    at = answer_.bounds.last + 1;
  }
  EXPECT_GT(calls, 3);
  EXPECT_EQ(answer_.offsets, Offsets{4000});
  EXPECT_LT(answer_.bounds.last, Offset(5000)) << "fewer than the count came: whoever goes on behind it misses nothing";
  EXPECT_GE(answer_.bounds.last, Offset(4000));
}

TEST_F(BoundedSearch, TheRangeLookedAtEndsWhereTheLimitOnBytesEndsAnAnswer) {
  auto request = from(1, 10);
  const std::vector<ByteView> tags = {"tag 10", "tag 20", "tag 4000"};
  request.tags = tags;
  request.with_info = true;
  request.max_bytes = 14;
  EXPECT_EQ(offsets(request), (Offsets{10, 20}));
  EXPECT_EQ(answer_.bounds.last, Offset(3999));
  request.max_bytes = 1000;
  EXPECT_EQ(offsets(request), (Offsets{10, 20, 4000}));
  EXPECT_EQ(answer_.bounds.last, Offset(5000));
  request.count = 2;
  EXPECT_EQ(offsets(request), (Offsets{10, 20}));
  EXPECT_EQ(answer_.bounds.last, Offset(5000)) << "the count says it";
}

TEST_F(BoundedSearch, BackwardsTheFirstOffsetIsTheLowestThatWasLookedAt) {
  auto request = search();
  request.tags.erase(request.tags.begin());
  request.with_info = request.backwards = true;
  Offset at(5000);
  for (int calls = 0; calls < 1000; ++calls) {
    request.start = StartOffset::at(at);
    request.from.reset();
    ASSERT_TRUE(read(request, Asked(3)).answer);
    if (answer_.bounds.first == Offset(1)) return;
    ASSERT_LE(answer_.bounds.first, at);
    at = Offset(answer_.bounds.first.value() - 1);
  }
  FAIL() << "it never ends";
}

TEST_F(BoundedSearch, WithoutInfoASearchContinuesByItself) {
  auto request = search();
  for (int turns = 0; turns < 1000; ++turns) {
    const auto outcome = read(request, Asked(3));
    if (!outcome.consequences.wait) {
      EXPECT_GT(turns, 3);
      EXPECT_EQ(answer_.offsets, Offsets{4000});
      return;
    }
    ASSERT_TRUE(outcome.consequences.wait->goes_on);
    ASSERT_TRUE(outcome.consequences.wait->tags.empty()) << "it is not waiting for a message yet";
    ASSERT_FALSE(answer_.is_ended);
  }
  FAIL() << "it never ends";
}

TEST_F(BoundedSearch, ASearchThatMayNotContinueReturnsAnError) {
  call_.may_wait = false;
  auto request = search();
  const auto outcome = read(request, Asked(3));
  ASSERT_FALSE(outcome.answer);
  EXPECT_EQ(outcome.answer.error().code, ErrorCode::Range);
  EXPECT_NE(outcome.answer.error().text.find("go on from there"), std::string::npos);
}

TEST_F(BoundedSearch, FoundMessagesAreReturnedWhenTheBudgetIsSpent) {
  auto request = search(3990);
  many_.push_back("tag 4900");
  request.tags = many_;
  ASSERT_TRUE(read(request, Asked(2)).answer);
  EXPECT_EQ(answer_.offsets, Offsets{4000});
}

TEST_F(BoundedSearch, AtTheEndABlockingReadWaitsForNewMessagesWithItsTags) {
  auto request = search(4500);
  request.block_ms = 0;
  const auto outcome = read(request);
  ASSERT_TRUE(outcome.consequences.wait);
  EXPECT_FALSE(outcome.consequences.wait->goes_on);
  EXPECT_EQ(outcome.consequences.wait->mark, 5001u);
  EXPECT_EQ(outcome.consequences.wait->tags.size(), many_.size());
  write("other", "e", 5);
  write("tag 4000", "e");
  LogOperations::resume(request, 5006);
  ASSERT_TRUE(read(request, Asked(1)).answer);
  EXPECT_EQ(answer_.offsets, Offsets{5006});
}

// --- what one step may cost ---

TEST_F(LogReading, DeadLettersWrittenAtOnceAreLimitedInBytes) {
  limits_.read_bytes = UINT64_MAX;
  write("t", std::string(20'000, 'e'), 500);
  ReadRequest request = from(1, 500);
  request.group = GroupRead{.name = "g", .consumer = {}, .retry = Retry{.retry_ms = 10, .expire_ms = 50}};
  EXPECT_EQ(offsets(request).size(), 500u);
  operations_.set_group(place_, {.group = "g", .pending_max = {}, .max_attempts = {}, .dead_letter = "letters"}, call_);
  call_.now.wall = UnixMs(100'000);
  uint64_t turns = 0;
  while (others_.letters < 500 && turns < 1000) {
    const uint64_t before = others_.bytes;
    const auto follow = operations_.look_after(place_, call_, NoLimit());
    EXPECT_LE(others_.bytes - before, kDeadLetterBytesAtOnce + 2 * 20'000);
    EXPECT_EQ(place_.get()->check(), nullptr);
    if (others_.letters < 500) {
      EXPECT_LE(follow.due, call_.now.wall) << "the rest is still due";
    }
    ++turns;
  }
  EXPECT_EQ(others_.letters, 500u);
  EXPECT_GE(turns, 500 * 20'000 / (kDeadLetterBytesAtOnce + 40'000));
  EXPECT_EQ(place_.get()->group("g")->pending().count(), 0u);
  EXPECT_EQ(place_.get()->group("g")->counters().expired, 500u);
}

TEST_F(LogReading, AReadGivesUpMessagesWithinTheSameLimit) {
  limits_.read_bytes = UINT64_MAX;
  write("t", std::string(20'000, 'e'), 500);
  ReadRequest request = from(1, 500);
  request.group = GroupRead{.name = "g", .consumer = {}, .retry = Retry{.retry_ms = 10, .expire_ms = 50}};
  offsets(request);
  operations_.set_group(place_, {.group = "g", .pending_max = {}, .max_attempts = {}, .dead_letter = "letters"}, call_);
  call_.now.wall = UnixMs(100'000);
  request.count = 1;
  offsets(request);
  EXPECT_LE(others_.bytes, kDeadLetterBytesAtOnce + 2 * 20'000);
  EXPECT_EQ(place_.get()->check(), nullptr);
}

TEST_F(LogReading, OneRequestGivesBackALimitedNumberOfBatchesFromTheLowestOffset) {
  write("t", "e", 3000);
  ReadRequest request = from(1, 1);
  request.group = GroupRead{.name = "g", .consumer = {}, .retry = Retry{.retry_ms = 10'000, .expire_ms = 0}};
  for (int i = 0; i < 3000; ++i) {
    call_.now.wall = call_.now.wall + 1;
    offsets(request);
  }
  const auto give_back = [&] {
    return *operations_.give_back(place_, {.group = "g", .delay_ms = 0, .ranges = {{Offset(1), Offset(9000)}}}, call_)
                .answer;
  };
  EXPECT_EQ(give_back(), 2000u);
  const Group& group = *place_.get()->group("g");
  group.pending().each_from(Offset(1), [&](const PendingPart& part) {
    EXPECT_EQ(part.terms.retry_at <= call_.now.wall.value(), part.messages.first <= Offset(2000));
    return true;
  });
  EXPECT_EQ(place_.get()->check(), nullptr);
}

TEST_F(LogReading, AWriteSetsItsOwnDateAndLeavesTheDatesOfGroups) {
  operations_.retain(place_, {.count = {}, .age_ms = 5'000, .bytes = {}, .latest = {}, .acked = {}}, call_);
  write("t", "e");
  ReadRequest request = from(1, 1);
  request.group = GroupRead{.name = "g", .consumer = {}, .retry = Retry{.retry_ms = 10, .expire_ms = 0}};
  offsets(request);
  const std::vector<ByteView> pair = {"t", "e"};
  const auto written = operations_.write(place_, {.backlog = {}, .pairs = pair}, call_);
  EXPECT_EQ(written.consequences.due, UnixMs(6000)) << "asking ten thousand groups would be most of its cost";
}

TEST_F(LogReading, GroupsLearnOfEvictionsWhenTheyAreAccessed) {
  write("t", "e", 10);
  Log& log = *place_.get();
  log.create_group("a", Offset(1));
  log.create_group("b", Offset(1));
  log.keep_newest(8);
  EXPECT_EQ(log.group("a")->counters().lost, 2u);
  log.keep_newest(5);
  for (const auto& [name, group] : log.groups()) {
    EXPECT_EQ(group.counters().lost, 5u) << name;
    EXPECT_EQ(group.next(), Offset(6)) << name;
  }
  EXPECT_EQ(log.check(), nullptr);
}

}  // namespace
}  // namespace millrace
