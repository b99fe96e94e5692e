#include "engine/blocks/message_blocks.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/base/frame_reader.h"
#include "engine/blocks/frame_builder.h"
#include "tests/model/seeds.h"

namespace millrace {
namespace {

// Ten messages fill a block.
constexpr BlockLimits kTens{.bytes = 4096, .messages = 10};

// Writes the messages "1", "2", … with the tag "odd" or "even", one every ten milliseconds: message n has the date
// n * 10.
void write(MessageBlocks& messages, int count) {
  for (int i = 0; i < count; ++i) {
    const uint64_t offset = messages.next().value();
    messages.tick(UnixMs(offset * 10));
    EXPECT_EQ(messages.append(offset % 2 ? "odd" : "even", std::to_string(offset), kTens), Offset(offset));
    EXPECT_EQ(messages.check(), nullptr);
  }
}

MessageBlocks messages_of(int count) {
  MessageBlocks messages;
  write(messages, count);
  return messages;
}

uint64_t evict_before(MessageBlocks& messages, uint64_t offset) {
  const auto evicted = messages.evict_before(Offset(offset));
  EXPECT_EQ(evicted.end, evicted.count == 0 ? Offset(0) : messages.first());
  EXPECT_EQ(messages.check(), nullptr);
  return evicted.count;
}

std::vector<uint64_t> read_from(const MessageBlocks& messages, uint64_t from) {
  std::vector<uint64_t> offsets;
  Message message{};
  for (MessageBlocks::Cursor cursor(messages, Offset(from)); cursor.next(message);) {
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

TEST(MessageBlocks, StartsAtOneAndEmpty) {
  const MessageBlocks messages;
  EXPECT_EQ(messages.first(), Offset(1));
  EXPECT_EQ(messages.last(), Offset(0));
  EXPECT_TRUE(messages.empty());
  EXPECT_EQ(messages.block_count(), 0u);
  EXPECT_EQ(messages.check(), nullptr);
  EXPECT_TRUE(read_from(messages, 1).empty());
}

TEST(MessageBlocks, TakeUnder350BytesWithOneShortMessage) {
  MessageBlocks messages;
  messages.append("tag", "a short message");
  EXPECT_LT(messages.memory(), 350u);
}

TEST(MessageBlocks, OffsetsIncreaseAcrossBlocks) {
  const MessageBlocks messages = messages_of(95);
  EXPECT_EQ(messages.block_count(), 10u);
  EXPECT_EQ(messages.count(), 95u);
  for (uint64_t from : range(1, 97)) EXPECT_EQ(read_from(messages, from), range(from, 96)) << "from " << from;
}

TEST(MessageBlocks, ManyMessagesAtOnceAreStoredLikeSingleOnes) {
  testing::run_seeds(200, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    MessageBlocks one_by_one, at_once;
    const BlockLimits limits{.bytes = 64 + static_cast<uint32_t>(random() % 2000),
                             .messages = 5 + static_cast<uint32_t>(random() % 60)};
    const std::string tags[] = {"paid", "sent", "", std::string(300, 't')};
    for (uint64_t date = 10; date < 20; ++date) {
      std::vector<std::string> texts;
      size_t tag = random() % 4;
      for (uint64_t i = random() % 60; i > 0; --i) {
        if (random() % 8 == 0) tag = random() % 4;
        texts.push_back(tags[tag]);
        texts.emplace_back(random() % 20 == 0 ? random() % 3000 : random() % 150, 'e');
      }
      // Some messages share one view of their tag, as the messages of a frame do.
      std::vector<ByteView> pairs(texts.begin(), texts.end());
      for (size_t i = 2; i < pairs.size(); i += 2) {
        if (pairs[i] == pairs[i - 2] && random() % 2 == 0) pairs[i] = pairs[i - 2];
      }
      one_by_one.tick(UnixMs(date));
      at_once.tick(UnixMs(date));
      for (size_t i = 0; i < pairs.size(); i += 2) one_by_one.append(pairs[i], pairs[i + 1], limits);
      at_once.append_all(pairs, limits);
      ASSERT_EQ(at_once.check(), nullptr);
    }
    const auto bytes_of = [](const MessageBlocks& messages) {
      std::vector<std::string> bytes;
      messages.each_block([&](const Block& block) {
        bytes.emplace_back(block.bytes());
        bytes.push_back(std::to_string(block.memory()) + " " + std::to_string(block.payload()));
      });
      return bytes;
    };
    ASSERT_EQ(bytes_of(at_once), bytes_of(one_by_one));
    ASSERT_EQ(at_once.payload(), one_by_one.payload());
    for (uint64_t offset = 1; offset < at_once.next().value(); offset += 7) {
      Message message{}, expected{};
      MessageBlocks::Cursor(at_once, Offset(offset)).next(message);
      MessageBlocks::Cursor(one_by_one, Offset(offset)).next(expected);
      ASSERT_EQ(message.written, expected.written);
      ASSERT_EQ(message.entry, expected.entry);
    }
  });
}

TEST(MessageBlocks, RecordsOfAFrameAreStoredLikeSingleMessages) {
  testing::run_seeds(200, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::string tags[] = {"paid", "sent", "", std::string(200, 't')};
    MessageBlocks source, one_by_one, records;
    size_t tag = random() % 4;
    uint64_t date = 10;
    for (uint64_t i = 1 + random() % 400; i > 0; --i) {
      if (random() % 30 == 0) tag = random() % 4;
      if (random() % 10 == 0) date += random() % 3 == 0 ? random() % 1000 : 1;
      source.tick(UnixMs(date));
      source.append(tags[tag], std::string(random() % 20 == 0 ? random() % 3000 : random() % 150, 'e'));
    }
    const std::string frame = build_frame(source, {}, Offset(1), {}).bytes;
    std::vector<ByteView> pairs;
    FrameReader reader(frame);
    for (FrameBlock block; reader.next_block(block);) {
      reader.enter(block.bytes);
      reader.each([&](const Message& message) { pairs.insert(pairs.end(), {message.tag, message.entry}); });
    }
    ASSERT_EQ(reader.failure(), nullptr);
    ASSERT_EQ(pairs.size(), 2 * source.count());
    const BlockLimits limits{.bytes = 64 + static_cast<uint32_t>(random() % 20'000),
                             .messages = 5 + static_cast<uint32_t>(random() % 1000)};
    // The messages that are there already decide where the tags are stored.
    for (MessageBlocks* blocks : {&one_by_one, &records}) {
      for (uint64_t i = 0; i < seed % 3; ++i) blocks->append(tags[3 - i], "before", limits);
      blocks->tick(UnixMs(50));
    }
    for (size_t i = 0; i < pairs.size(); i += 2) one_by_one.append(pairs[i], pairs[i + 1], limits);
    records.append_all(pairs, limits, true);
    ASSERT_EQ(records.check(), nullptr);
    ASSERT_EQ(records.payload(), one_by_one.payload());
    std::vector<std::string> bytes[2];
    for (const MessageBlocks* blocks : {&one_by_one, &records}) {
      blocks->each_block([&](const Block& block) {
        bytes[blocks == &records].emplace_back(block.bytes());
        bytes[blocks == &records].push_back(std::to_string(block.memory()) + " " + std::to_string(block.payload()));
      });
    }
    ASSERT_EQ(bytes[1], bytes[0]);
  });
}

TEST(MessageBlocks, AReadFromBeforeTheFirstMessageStartsAtTheFirst) {
  MessageBlocks messages = messages_of(35);
  evict_before(messages, 14);
  EXPECT_EQ(read_from(messages, 0), range(14, 36));
  EXPECT_EQ(read_from(messages, 5), range(14, 36));
}

TEST(MessageBlocks, ReadsNothingBeyondTheEnd) {
  const MessageBlocks messages = messages_of(20);
  EXPECT_TRUE(read_from(messages, 21).empty());
  EXPECT_TRUE(read_from(messages, UINT64_MAX).empty());
}

TEST(MessageBlocks, AFinishedCursorDoesNotChangeTheMessage) {
  const MessageBlocks messages = messages_of(1);
  Message message{};
  MessageBlocks::Cursor cursor(messages, Offset(1));
  EXPECT_TRUE(cursor.next(message));
  EXPECT_FALSE(cursor.next(message));
  EXPECT_EQ(message.offset, Offset(1));
}

TEST(MessageBlocks, AMessageLargerThanABlockHasABlockToItself) {
  MessageBlocks messages;
  const std::string large(100'000, 'x');
  messages.append("t", "small");
  messages.append("t", large);
  messages.append("t", "small");
  EXPECT_EQ(messages.check(), nullptr);
  EXPECT_EQ(messages.block_count(), 3u);
  Message message{};
  MessageBlocks::Cursor cursor(messages, Offset(2));
  ASSERT_TRUE(cursor.next(message));
  EXPECT_EQ(message.entry, large);
}

TEST(MessageBlocks, ItsClockNeverRunsBackwards) {
  MessageBlocks messages;
  EXPECT_TRUE(messages.tick(UnixMs(100)));
  EXPECT_FALSE(messages.tick(UnixMs(100)));
  EXPECT_FALSE(messages.tick(UnixMs(50)));
  messages.append("t", "e");
  EXPECT_EQ(messages.first_time(), UnixMs(100));
  EXPECT_EQ(messages.clock(), UnixMs(100));
}

TEST(MessageBlocks, EvictionIsExact) {
  for (uint64_t offset = 0; offset <= 40; ++offset) {
    SCOPED_TRACE(offset);
    MessageBlocks messages = messages_of(35);
    const uint64_t first = std::min<uint64_t>(std::max<uint64_t>(offset, 1), 36);
    EXPECT_EQ(evict_before(messages, offset), first - 1);
    EXPECT_EQ(messages.first(), Offset(first));
    EXPECT_EQ(messages.last(), Offset(35));
    EXPECT_EQ(read_from(messages, 1), range(first, 36));
    EXPECT_EQ(evict_before(messages, offset), 0u) << "a second time there is nothing to evict";
  }
}

TEST(MessageBlocks, AnEvictedOffsetIsNeverReused) {
  MessageBlocks messages = messages_of(12);
  evict_before(messages, UINT64_MAX);
  EXPECT_TRUE(messages.empty());
  EXPECT_EQ(messages.first(), Offset(13));
  EXPECT_EQ(messages.last(), Offset(12));
  EXPECT_EQ(messages.payload(), 0u);
  write(messages, 5);
  EXPECT_EQ(read_from(messages, 1), range(13, 18));
}

TEST(MessageBlocks, EvictedBlocksAreReturnedOnce) {
  MessageBlocks messages = messages_of(35);
  evict_before(messages, 25);
  std::vector<uint64_t> evicted;
  messages.take_evicted().each([&](const Block& block) { evicted.push_back(block.first().value()); });
  EXPECT_EQ(evicted, (std::vector<uint64_t>{1, 11}));
  EXPECT_TRUE(messages.take_evicted().empty());
}

TEST(MessageBlocks, EvictedBlocksCountAsMemoryUntilTheyAreTaken) {
  MessageBlocks messages = messages_of(35);
  uint64_t held = 0;
  messages.each_block([&](const Block& block) { held += block.memory(); });
  evict_before(messages, 36);
  EXPECT_GE(messages.memory(), held);
  messages.take_evicted();
  EXPECT_LT(messages.memory(), sizeof(MessageBlocks) + 16 * sizeof(Block));
}

TEST(MessageBlocks, FindTheFirstOfTheNewestMessages) {
  MessageBlocks messages = messages_of(35);
  evict_before(messages, 4);
  for (uint64_t count : range(0, 40)) {
    EXPECT_EQ(messages.first_of_newest(count), Offset(36 - std::min<uint64_t>(count, 32))) << count;
  }
  EXPECT_EQ(messages.first_of_newest(UINT64_MAX), Offset(4));
}

TEST(MessageBlocks, SeekFindsTheFirstMessageWrittenAtOrAfterADate) {
  MessageBlocks messages = messages_of(35);
  for (uint64_t gone : {0u, 4u, 10u, 27u}) {
    SCOPED_TRACE(gone);
    evict_before(messages, gone + 1);
    for (uint64_t time = 0; time <= 360; ++time) {
      const uint64_t expected = std::clamp<uint64_t>((time + 9) / 10, gone + 1, 36);
      ASSERT_EQ(messages.seek(UnixMs(time)), Offset(expected)) << "time " << time;
    }
  }
  evict_before(messages, 36);
  EXPECT_EQ(messages.seek(UnixMs(0)), Offset(36));
}

TEST(MessageBlocks, SeekFindsTheFirstOfManyWithTheSameDate) {
  MessageBlocks messages;
  messages.tick(UnixMs(10));
  for (int i = 0; i < 25; ++i) messages.append("t", "e", kTens);
  messages.tick(UnixMs(20));
  for (int i = 0; i < 25; ++i) messages.append("t", "e", kTens);
  EXPECT_EQ(messages.seek(UnixMs(10)), Offset(1));
  EXPECT_EQ(messages.seek(UnixMs(11)), Offset(26));
  EXPECT_EQ(messages.seek(UnixMs(20)), Offset(26));
}

TEST(MessageBlocks, AReadByTagSkipsOnlyBlocksWithoutTheTag) {
  MessageBlocks messages;
  for (int i = 0; i < 100; ++i) messages.append(i / 10 == 4 ? "wanted" : "other", "e", kTens);
  const std::vector<TagFilter::Probe> wanted = {TagFilter::Probe("wanted")};
  MessageBlocks::Cursor cursor(messages, Offset(1));
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

TEST(MessageBlocks, ASkipInsideABlockDoesNothing) {
  MessageBlocks messages = messages_of(35);
  MessageBlocks::Cursor cursor(messages, Offset(2));
  EXPECT_FALSE(cursor.skip_block_without({TagFilter::Probe("absent")}));
  Message message{};
  ASSERT_TRUE(cursor.next(message));
  EXPECT_EQ(message.offset, Offset(2));
}

TEST(MessageBlocks, ACloneIsEqualAndIndependent) {
  MessageBlocks messages = messages_of(35);
  evict_before(messages, 14);
  MessageBlocks copy = messages.clone();
  EXPECT_EQ(copy.check(), nullptr);
  EXPECT_EQ(read_from(copy, 1), range(14, 36));
  EXPECT_EQ(copy.payload(), messages.payload());
  write(copy, 20);
  evict_before(messages, 36);
  EXPECT_EQ(read_from(copy, 1), range(14, 56));
  EXPECT_EQ(messages.next(), Offset(36));
}

TEST(MessageBlocks, AcceptsWholeBlocksThatContinueTheOffsets) {
  const MessageBlocks source = messages_of(35);
  MessageBlocks messages;
  source.each_block([&](const Block& block) {
    ASSERT_TRUE(messages.append_block(block.header(), Buffer::copy_of(block.bytes())));
    ASSERT_EQ(messages.check(), nullptr);
  });
  EXPECT_EQ(read_from(messages, 1), range(1, 36));
  EXPECT_EQ(messages.clock(), UnixMs(350)) << "the clock is never behind the last message";
}

TEST(MessageBlocks, RefusesABlockThatDoesNotContinueTheOffsets) {
  const MessageBlocks source = messages_of(35);
  MessageBlocks messages = messages_of(5);
  source.each_block([&](const Block& block) {
    const auto added = messages.append_block(block.header(), Buffer::copy_of(block.bytes()));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(added.error().text, "a block that does not follow on");
  });
  EXPECT_EQ(messages.check(), nullptr);
  EXPECT_EQ(read_from(messages, 1), range(1, 6));
}

TEST(MessageBlocks, RefusesABlockWithEarlierDates) {
  MessageBlocks messages = messages_of(5);
  const auto added = messages.append_block({Offset(6), UnixMs(49), 1}, Buffer::copy_of(ByteView("\0\0\0\0", 4)));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().text, "a block that is older than the one before it");
  EXPECT_EQ(messages.check(), nullptr);
  EXPECT_EQ(read_from(messages, 1), range(1, 6));
}

struct HeadRow {
  const char* name;
  MessagesHead head;
  const char* reason;  // nullptr: accepted
};

const char kForeign[] = "a log head that does not belong to its blocks";

TEST(MessageBlocks, AcceptsOnlyAHeadThatBelongsToItsBlocks) {
  const HeadRow rows[] = {
      {"nothing evicted", {Offset(1), Offset(36), UnixMs(350), 4}, nullptr},
      {"some of the first block evicted", {Offset(10), Offset(36), UnixMs(400), 4}, nullptr},
      {"the first block evicted", {Offset(11), Offset(36), UnixMs(350), 4}, kForeign},
      {"all evicted", {Offset(36), Offset(36), UnixMs(350), 4}, kForeign},
      {"a message too few", {Offset(1), Offset(35), UnixMs(350), 4}, kForeign},
      {"a message too many", {Offset(1), Offset(37), UnixMs(350), 4}, kForeign},
      {"a clock of the past",
       {Offset(1), Offset(36), UnixMs(349), 4},
       "a log head that is older than its last message"},
  };
  for (const HeadRow& row : rows) {
    SCOPED_TRACE(row.name);
    MessageBlocks messages = messages_of(35);
    const auto restored = messages.restore_head(row.head);
    EXPECT_EQ(messages.check(), nullptr);
    ASSERT_EQ(restored.has_value(), row.reason == nullptr);
    if (restored) {
      EXPECT_EQ(messages.first(), row.head.first);
      EXPECT_EQ(messages.clock(), row.head.clock);
      EXPECT_EQ(read_from(messages, 1), range(row.head.first.value(), 36));
    } else {
      EXPECT_EQ(restored.error().text, row.reason);
      EXPECT_EQ(read_from(messages, 1), range(1, 36)) << "a refused head changes nothing";
      EXPECT_EQ(messages.clock(), UnixMs(350));
    }
  }
}

TEST(MessageBlocks, ANewObjectAcceptsTheHeadOfAnEmptyOne) {
  MessageBlocks messages;
  ASSERT_TRUE(messages.restore_head({Offset(500), Offset(500), UnixMs(7), 0}));
  EXPECT_EQ(messages.check(), nullptr);
  EXPECT_EQ(messages.last(), Offset(499));
  MessageBlocks other;
  EXPECT_FALSE(other.restore_head({Offset(499), Offset(500), UnixMs(7), 0})) << "its message is missing";
}

TEST(MessageBlocks, HasRoomUntilAllOffsetsAreUsed) {
  MessageBlocks messages;
  EXPECT_EQ(messages.room(), kMaxOffset.value() - 1);
  ASSERT_TRUE(messages.restore_head({kMaxOffset - 2, kMaxOffset - 2, UnixMs(0), 0}));
  EXPECT_EQ(messages.room(), 2u);
  messages.append("t", "e");
  messages.append("t", "e");
  EXPECT_EQ(messages.check(), nullptr);
  EXPECT_EQ(messages.room(), 0u);
}

}  // namespace
}  // namespace millrace
