#include "engine/log/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace {
namespace {

// Ten messages fill a block.
constexpr BlockLimits kTens{.bytes = 4096, .messages = 10};

// Writes the messages "1", "2", … with the tag "odd" or "even", one each ten
// milliseconds: message n has the date n * 10.
void write(Log& log, int count) {
  for (int i = 0; i < count; ++i) {
    const uint64_t offset = log.next().value();
    log.tick(UnixMs(offset * 10));
    EXPECT_EQ(log.append(offset % 2 ? "odd" : "even", std::to_string(offset), kTens), Offset(offset));
    EXPECT_EQ(log.check(), nullptr);
  }
}

Log log_of(int count) {
  Log log;
  write(log, count);
  return log;
}

uint64_t evict_before(Log& log, uint64_t offset) {
  const uint64_t evicted = log.evict_before(Offset(offset));
  EXPECT_EQ(log.check(), nullptr);
  return evicted;
}

std::vector<uint64_t> read_from(const Log& log, uint64_t from) {
  std::vector<uint64_t> offsets;
  Message message{};
  for (Log::Cursor cursor(log, Offset(from)); cursor.next(message);) {
    offsets.push_back(message.offset.value());
    EXPECT_EQ(message.entry, std::to_string(message.offset.value()));
    EXPECT_EQ(message.tag, message.offset.value() % 2 ? "odd" : "even");
    EXPECT_EQ(message.written, UnixMs(message.offset.value() * 10));
  }
  return offsets;
}

std::vector<uint64_t> range(uint64_t first, uint64_t end) {
  std::vector<uint64_t> numbers;
  for (uint64_t n = first; n < end; ++n) numbers.push_back(n);
  return numbers;
}

Buffer buffer_of(ByteView bytes) {
  Buffer buffer;
  buffer.reserve(static_cast<uint32_t>(bytes.size()));
  bytes.copy(buffer.extend(static_cast<uint32_t>(bytes.size())), bytes.size());
  return buffer;
}

TEST(Log, StartsAtOneAndEmpty) {
  const Log log;
  EXPECT_EQ(log.first(), Offset(1));
  EXPECT_EQ(log.last(), Offset(0));
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.block_count(), 0u);
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_TRUE(read_from(log, 1).empty());
}

TEST(Log, OfOneShortMessageTakesUnderFourHundredBytes) {
  Log log;
  log.append("tag", "a short message");
  EXPECT_LT(log.memory(), 400u);
}

TEST(Log, OffsetsCountUpAcrossBlocks) {
  const Log log = log_of(95);
  EXPECT_EQ(log.block_count(), 10u);
  EXPECT_EQ(log.count(), 95u);
  for (uint64_t from : range(1, 97)) EXPECT_EQ(read_from(log, from), range(from, 96)) << "from " << from;
}

TEST(Log, ReadsFromTheFirstMessageIfAskedForAnEarlierOne) {
  Log log = log_of(35);
  evict_before(log, 14);
  EXPECT_EQ(read_from(log, 0), range(14, 36));
  EXPECT_EQ(read_from(log, 5), range(14, 36));
}

TEST(Log, ReadsNothingBeyondTheEnd) {
  const Log log = log_of(20);
  EXPECT_TRUE(read_from(log, 21).empty());
  EXPECT_TRUE(read_from(log, UINT64_MAX).empty());
}

TEST(Log, AFinishedCursorLeavesTheMessageAlone) {
  const Log log = log_of(1);
  Message message{};
  Log::Cursor cursor(log, Offset(1));
  EXPECT_TRUE(cursor.next(message));
  EXPECT_FALSE(cursor.next(message));
  EXPECT_EQ(message.offset, Offset(1));
}

TEST(Log, AMessageLargerThanABlockHasABlockToItself) {
  Log log;
  const std::string large(100'000, 'x');
  log.append("t", "small");
  log.append("t", large);
  log.append("t", "small");
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.block_count(), 3u);
  Message message{};
  Log::Cursor cursor(log, Offset(2));
  ASSERT_TRUE(cursor.next(message));
  EXPECT_EQ(message.entry, large);
}

TEST(Log, ItsClockNeverRunsBackwards) {
  Log log;
  EXPECT_TRUE(log.tick(UnixMs(100)));
  EXPECT_FALSE(log.tick(UnixMs(100)));
  EXPECT_FALSE(log.tick(UnixMs(50)));
  log.append("t", "e");
  EXPECT_EQ(log.first_time(), UnixMs(100));
  EXPECT_EQ(log.clock(), UnixMs(100));
}

TEST(Log, EvictionIsExact) {
  for (uint64_t offset = 0; offset <= 40; ++offset) {
    SCOPED_TRACE(offset);
    Log log = log_of(35);
    const uint64_t first = std::min<uint64_t>(std::max<uint64_t>(offset, 1), 36);
    EXPECT_EQ(evict_before(log, offset), first - 1);
    EXPECT_EQ(log.first(), Offset(first));
    EXPECT_EQ(log.last(), Offset(35));
    EXPECT_EQ(read_from(log, 1), range(first, 36));
    EXPECT_EQ(evict_before(log, offset), 0u) << "a second time there is nothing to evict";
  }
}

TEST(Log, AnEvictedOffsetIsNeverReused) {
  Log log = log_of(12);
  evict_before(log, UINT64_MAX);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.first(), Offset(13));
  EXPECT_EQ(log.last(), Offset(12));
  EXPECT_EQ(log.payload(), 0u);
  write(log, 5);
  EXPECT_EQ(read_from(log, 1), range(13, 18));
}

TEST(Log, EvictedBlocksAreHandedOutOnce) {
  Log log = log_of(35);
  evict_before(log, 25);
  std::vector<uint64_t> evicted;
  log.take_evicted().each([&](const Block& block) { evicted.push_back(block.first().value()); });
  EXPECT_EQ(evicted, (std::vector<uint64_t>{1, 11}));
  EXPECT_TRUE(log.take_evicted().empty());
}

TEST(Log, EvictedBlocksCountAsMemoryUntilTheyAreTaken) {
  Log log = log_of(35);
  uint64_t held = 0;
  log.each_block([&](const Block& block) { held += block.memory(); });
  evict_before(log, 36);
  EXPECT_GE(log.memory(), held);
  log.take_evicted();
  EXPECT_LT(log.memory(), sizeof(Log) + 16 * sizeof(Block));
}

TEST(Log, KeepsAsManyOfTheNewestAsAsked) {
  for (uint64_t keep : {0u, 1u, 9u, 10u, 11u, 34u, 35u, 36u}) {
    SCOPED_TRACE(keep);
    Log log = log_of(35);
    const uint64_t kept = std::min<uint64_t>(keep, 35);
    EXPECT_EQ(log.keep_newest(keep), 35 - kept);
    EXPECT_EQ(log.check(), nullptr);
    EXPECT_EQ(read_from(log, 1), range(36 - kept, 36));
  }
  Log log = log_of(5);
  EXPECT_EQ(log.keep_newest(UINT64_MAX), 0u);
}

TEST(Log, SeekFindsTheFirstMessageWrittenAtOrAfterADate) {
  Log log = log_of(35);
  for (uint64_t gone : {0u, 4u, 10u, 27u}) {
    SCOPED_TRACE(gone);
    evict_before(log, gone + 1);
    for (uint64_t time = 0; time <= 360; ++time) {
      const uint64_t expected = std::clamp<uint64_t>((time + 9) / 10, gone + 1, 36);
      ASSERT_EQ(log.seek(UnixMs(time)), Offset(expected)) << "time " << time;
    }
  }
  evict_before(log, 36);
  EXPECT_EQ(log.seek(UnixMs(0)), Offset(36));
}

TEST(Log, SeekFindsTheFirstOfManyWithTheSameDate) {
  Log log;
  log.tick(UnixMs(10));
  for (int i = 0; i < 25; ++i) log.append("t", "e", kTens);
  log.tick(UnixMs(20));
  for (int i = 0; i < 25; ++i) log.append("t", "e", kTens);
  EXPECT_EQ(log.seek(UnixMs(10)), Offset(1));
  EXPECT_EQ(log.seek(UnixMs(11)), Offset(26));
  EXPECT_EQ(log.seek(UnixMs(20)), Offset(26));
}

TEST(Log, AReadByTagSkipsOnlyBlocksWithoutIt) {
  Log log;
  for (int i = 0; i < 100; ++i) log.append(i / 10 == 4 ? "wanted" : "other", "e", kTens);
  const std::vector<TagFilter::Probe> wanted = {TagFilter::Probe("wanted")};
  Log::Cursor cursor(log, Offset(1));
  int skipped = 0, read = 0, found = 0;
  Message message{};
  for (;;) {
    while (cursor.skip_block_without(wanted)) ++skipped;
    if (!cursor.next(message)) break;
    ++read;
    if (message.tag == "wanted") ++found;
  }
  EXPECT_EQ(found, 10);
  EXPECT_EQ(skipped, 8) << "all but the one that has it and the newest, which has no filter yet";
  EXPECT_EQ(read, 20);
}

TEST(Log, ASkipInsideABlockDoesNothing) {
  Log log = log_of(35);
  Log::Cursor cursor(log, Offset(2));
  EXPECT_FALSE(cursor.skip_block_without({TagFilter::Probe("absent")}));
  Message message{};
  ASSERT_TRUE(cursor.next(message));
  EXPECT_EQ(message.offset, Offset(2));
}

TEST(Log, ACloneIsEqualAndGoesItsOwnWay) {
  Log log = log_of(35);
  evict_before(log, 14);
  Log copy = log.clone();
  EXPECT_EQ(copy.check(), nullptr);
  EXPECT_EQ(read_from(copy, 1), range(14, 36));
  EXPECT_EQ(copy.payload(), log.payload());
  write(copy, 20);
  evict_before(log, 36);
  EXPECT_EQ(read_from(copy, 1), range(14, 56));
  EXPECT_EQ(log.next(), Offset(36));
}

TEST(Log, TakesWholeBlocksThatFollowOn) {
  const Log source = log_of(35);
  Log log;
  source.each_block([&](const Block& block) {
    ASSERT_TRUE(log.append_block(block.header(), buffer_of(block.bytes())));
    ASSERT_EQ(log.check(), nullptr);
  });
  EXPECT_EQ(read_from(log, 1), range(1, 36));
  EXPECT_EQ(log.clock(), UnixMs(350)) << "the clock is never behind the last message";
}

TEST(Log, RefusesABlockThatDoesNotFollowOnAndIsUnchanged) {
  const Log source = log_of(35);
  Log log = log_of(5);
  source.each_block([&](const Block& block) {
    const auto added = log.append_block(block.header(), buffer_of(block.bytes()));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(added.error().text, "a block that does not follow on");
  });
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(read_from(log, 1), range(1, 6));
}

TEST(Log, RefusesABlockFromThePastAndIsUnchanged) {
  Log log = log_of(5);
  const auto added = log.append_block({Offset(6), UnixMs(49), 1}, buffer_of(ByteView("\0\0\0\0", 4)));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().text, "a block from before the one before it");
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(read_from(log, 1), range(1, 6));
}

struct HeadRow {
  const char* name;
  LogHead head;
  const char* reason;  // nullptr: it belongs
};

const char kForeign[] = "a log head that does not belong to its blocks";

TEST(Log, TakesOnlyAHeadThatBelongsToItsBlocks) {
  const HeadRow rows[] = {
      {"nothing evicted", {Offset(1), Offset(36), UnixMs(350), {}, 4}, nullptr},
      {"some of the first block evicted", {Offset(10), Offset(36), UnixMs(400), {.count = 5}, 4}, nullptr},
      {"the first block evicted", {Offset(11), Offset(36), UnixMs(350), {}, 4}, kForeign},
      {"all evicted", {Offset(36), Offset(36), UnixMs(350), {}, 4}, kForeign},
      {"a message too few", {Offset(1), Offset(35), UnixMs(350), {}, 4}, kForeign},
      {"a message too many", {Offset(1), Offset(37), UnixMs(350), {}, 4}, kForeign},
      {"a clock of the past", {Offset(1), Offset(36), UnixMs(349), {}, 4}, "a log head from before its last message"},
  };
  for (const HeadRow& row : rows) {
    SCOPED_TRACE(row.name);
    Log log = log_of(35);
    const auto restored = log.restore_head(row.head);
    EXPECT_EQ(log.check(), nullptr);
    ASSERT_EQ(restored.has_value(), row.reason == nullptr);
    if (restored) {
      EXPECT_EQ(log.first(), row.head.first);
      EXPECT_EQ(log.clock(), row.head.clock);
      EXPECT_EQ(log.retention(), row.head.retention);
      EXPECT_EQ(read_from(log, 1), range(row.head.first.value(), 36));
    } else {
      EXPECT_EQ(restored.error().text, row.reason);
      EXPECT_EQ(read_from(log, 1), range(1, 36)) << "a refused head changes nothing";
      EXPECT_EQ(log.clock(), UnixMs(350));
    }
  }
}

TEST(Log, ANewLogTakesTheHeadOfAnEmptyOne) {
  Log log;
  ASSERT_TRUE(log.restore_head({Offset(500), Offset(500), UnixMs(7), {.count = 3}, 0}));
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.last(), Offset(499));
  Log other;
  EXPECT_FALSE(other.restore_head({Offset(499), Offset(500), UnixMs(7), {}, 0})) << "its message is missing";
}

TEST(Log, HasRoomUntilItsOffsetsAreUsedUp) {
  Log log;
  EXPECT_EQ(log.room(), kMaxOffset.value() - 1);
  ASSERT_TRUE(log.restore_head({kMaxOffset - 2, kMaxOffset - 2, UnixMs(0), {}, 0}));
  EXPECT_EQ(log.room(), 2u);
  log.append("t", "e");
  log.append("t", "e");
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.room(), 0u);
}

}  // namespace
}  // namespace millrace
