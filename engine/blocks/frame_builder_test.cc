#include "engine/blocks/frame_builder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/model/frames.h"
#include "tests/model/seeds.h"

namespace millrace {
namespace {

using testing::FrameMessage;
using testing::read_frame;
using testing::ReadFrame;
using testing::test_packer;

constexpr BlockLimits kTens{.bytes = 1 << 20, .messages = 10};

std::string entry_of(uint64_t offset) { return "message " + std::to_string(offset) + std::string(100, '.'); }

// Ten messages per block; message n has the date 1000 + n.
MessageBlocks messages_of(uint64_t count) {
  MessageBlocks messages;
  for (uint64_t offset = 1; offset <= count; ++offset) {
    messages.tick(UnixMs(1000 + offset));
    messages.append(offset % 3 == 0 ? "third" : "other", entry_of(offset), kTens);
  }
  return messages;
}

void pack_all(MessageBlocks& messages) {
  while (messages.has_unpacked()) messages.pack_next(test_packer(), 1);
}

std::vector<FrameMessage> expected(const MessageBlocks& messages, Offset from, uint64_t count) {
  std::vector<FrameMessage> found;
  Message message{};
  for (MessageBlocks::Cursor cursor(messages, from); found.size() < count && cursor.next(message);) {
    found.push_back({message.offset, std::string(message.tag), std::string(message.entry), message.written});
  }
  return found;
}

ReadFrame framed(const MessageBlocks& messages, uint64_t from, FrameLimits limits = {}) {
  const BuiltFrame built = build_frame(messages, {}, Offset(from), limits);
  ReadFrame frame = read_frame(built.bytes);
  EXPECT_EQ(frame.failure, "");
  EXPECT_EQ(frame.head.count, frame.messages.size());
  EXPECT_EQ(built.count, frame.messages.size());
  return frame;
}

TEST(FrameBuilder, ReturnsEveryMessageFromAnyOffsetUpToAnyCount) {
  for (const bool packed : {false, true}) {
    MessageBlocks messages = messages_of(45);
    if (packed) pack_all(messages);
    for (uint64_t from = 1; from <= 45; ++from) {
      for (uint64_t count : {1u, 2u, 5u, 9u, 10u, 11u, 25u, 100u}) {
        const ReadFrame frame = framed(messages, from, {.messages = count});
        ASSERT_EQ(frame.messages, expected(messages, Offset(from), count)) << from << " " << count;
        ASSERT_EQ(frame.head.from, Offset(from));
        ASSERT_EQ(frame.head.end, std::min(Offset(from + count), messages.next()));
      }
    }
  }
}

TEST(FrameBuilder, SendsPackedBlocksAsTheyAreStored) {
  MessageBlocks messages = messages_of(45);
  pack_all(messages);
  const BuiltFrame built = build_frame(messages, {}, Offset(5), {});
  EXPECT_EQ(read_frame(built.bytes).packed_blocks, 4u);
  messages.each_block([&](const Block& block) { EXPECT_NE(built.bytes.find(block.bytes()), std::string::npos); });
}

TEST(FrameBuilder, DoesNotSendMessagesBeforeTheOffsetInAnUnpackedBlock) {
  MessageBlocks messages = messages_of(45);
  const BuiltFrame built = build_frame(messages, {}, Offset(45), {});
  EXPECT_LT(built.bytes.size(), 200u);
  messages.evict_before(Offset(3));
  EXPECT_EQ(build_frame(messages, {}, Offset(1), {}).bytes.find(entry_of(2)), std::string::npos)
      << "evicted messages never travel";
}

TEST(FrameBuilder, EndsBeforeTheBlockThatWouldExceedTheBytes) {
  const MessageBlocks messages = messages_of(45);
  const uint64_t block = 10 * (entry_of(11).size() + 5);
  EXPECT_EQ(framed(messages, 11, {.bytes = 2 * block}).messages.size(), 20u);
  EXPECT_EQ(framed(messages, 11, {.bytes = 2 * block - 1}).messages.size(), 10u);
  EXPECT_EQ(framed(messages, 11, {.bytes = 1}).messages.size(), 10u) << "at least one block";
}

TEST(FrameBuilder, AFrameOfAnEmptyLogHasOnlyAHead) {
  FrameHead head;
  head.epoch = LogEpoch(7);
  const ReadFrame frame = read_frame(empty_frame(head, Offset(9)));
  EXPECT_EQ(frame.failure, "");
  EXPECT_TRUE(frame.messages.empty());
  EXPECT_EQ(frame.head.epoch, LogEpoch(7));
  EXPECT_EQ(frame.head.end, Offset(9));
}

// Random blocks with random gaps, some of them packed, read from anywhere.
TEST(FrameBuilder, ReturnsTheSameAsACursorForAnyRemovedMessages) {
  testing::run_seeds(1000, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    MessageBlocks messages = messages_of(20 + random() % 100);
    Removal removal;
    for (Offset offset = messages.first(); offset < messages.next(); ++offset) {
      if (random() % 4 == 0) removal.add(offset);
    }
    if (!removal.empty()) messages.remove(removal, kTens, [](Offset, Offset, const std::vector<Block>&) {});
    while (messages.has_unpacked() && random() % 4 != 0) messages.pack_next(test_packer(), 1);
    if (random() % 2 == 0) messages.evict_before(Offset(1 + random() % 30));
    if (messages.empty()) return;
    ASSERT_EQ(messages.check(), nullptr);
    for (int i = 0; i < 20; ++i) {
      const Offset from = messages.first() + random() % (messages.end_of_messages() - messages.first());
      const uint64_t count = 1 + random() % 40;
      const ReadFrame frame = framed(messages, from.value(), {.messages = count});
      ASSERT_EQ(frame.messages, expected(messages, from, count)) << from.value() << " " << count;
      // A reader that continues at its end misses nothing.
      ASSERT_EQ(frame.head.end < messages.end_of_messages(),
                frame.messages.size() == count && expected(messages, from, count + 1).size() > count);
      ASSERT_GT(frame.head.end, frame.messages.back().offset);
      ASSERT_EQ(expected(messages, frame.head.end, 1), expected(messages, frame.messages.back().offset + 1, 1));
    }
  });
}

}  // namespace
}  // namespace millrace
