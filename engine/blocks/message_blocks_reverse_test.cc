#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/blocks/message_blocks.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

constexpr BlockLimits kSmall{.bytes = 256, .messages = 7};

MessageBlocks messages_of(int count) {
  MessageBlocks messages;
  for (int i = 1; i <= count; ++i) {
    messages.tick(UnixMs(static_cast<uint64_t>(1000 + i)));
    messages.append("t" + std::to_string(i % 3), "entry " + std::to_string(i), kSmall);
  }
  return messages;
}

// As text: offset, tag, entry, date.
std::string text_of(const Message& message) {
  return std::to_string(message.offset.value()) + " " + std::string(message.tag) + " " + std::string(message.entry) +
         " " + std::to_string(message.written.value());
}

void expect_the_reverse(const MessageBlocks& messages) {
  std::vector<Offset> starts = {Offset(0), messages.next(), messages.next() + 5};
  for (Offset offset = messages.first(); offset < messages.next(); ++offset) starts.push_back(offset);
  for (const Offset from : starts) {
    std::vector<std::string> expected, found;
    Message message;
    for (MessageBlocks::Cursor cursor(messages, messages.first()); cursor.next(message) && message.offset <= from;) {
      expected.push_back(text_of(message));
    }
    std::ranges::reverse(expected);
    MessageBlocks::ReverseCursor cursor(messages, from);
    Offset behind = std::min(from + 1, messages.next());
    while (cursor.next(message)) {
      found.push_back(text_of(message));
      EXPECT_LT(message.offset, behind);
      EXPECT_LT(cursor.at(), message.offset);
      behind = message.offset;
    }
    EXPECT_EQ(found, expected) << "from " << from.value();
    EXPECT_EQ(cursor.at(), Offset(0));
  }
}

TEST(ReverseCursor, ReturnsTheSameMessagesInReverseOrderFromEveryOffset) {
  for (const int count : {0, 1, 6, 7, 8, 100}) expect_the_reverse(messages_of(count));
}

TEST(ReverseCursor, EndsAtTheFirstMessageThatIsNotEvicted) {
  for (const uint64_t first : {2U, 7U, 8U, 9U, 50U, 100U, 101U}) {
    MessageBlocks messages = messages_of(100);
    messages.evict_before(Offset(first));
    expect_the_reverse(messages);
  }
}

TEST(ReverseCursor, CrossesGapsAndPackedBlocks) {
  MessageBlocks messages = messages_of(100);
  Removal removal;
  for (const auto& [from, to] : {std::pair{3, 5}, {7, 30}, {44, 45}, {99, 100}}) {
    removal.ranges.push_back({Offset(static_cast<uint64_t>(from)), Offset(static_cast<uint64_t>(to))});
  }
  messages.remove(removal, kSmall, [](Offset, Offset, const std::vector<Block>&) {});
  expect_the_reverse(messages);
  while (messages.has_unpacked()) messages.pack_next(testing::test_packer(), 1);
  expect_the_reverse(messages);
}

TEST(ReverseCursor, SkipsBlocksThatCannotContainATag) {
  MessageBlocks messages;
  for (int i = 0; i < 70; ++i) messages.append(i < 7 ? "rare" : "common", "e", kSmall);
  const std::vector<TagFilter::Probe> rare = {TagFilter::Probe("rare")};
  MessageBlocks::ReverseCursor cursor(messages, Offset(70));
  Message message;
  // The newest block has no filter yet.
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(cursor.next(message));
  int skipped = 0;
  while (cursor.skip_block_without(rare)) ++skipped;
  EXPECT_GE(skipped, 7);
  ASSERT_TRUE(cursor.next(message));
  EXPECT_EQ(message.offset, Offset(7));
  EXPECT_EQ(message.tag, "rare");
}

TEST(PayloadAtMost, SumsTheBlocksOfARangeAndStopsAtTheLimit) {
  const MessageBlocks messages = messages_of(100);
  EXPECT_EQ(messages.payload_at_most(Offset(1), messages.next(), UINT64_MAX), messages.payload());
  const uint64_t of_one = messages.payload_at_most(Offset(50), Offset(51), UINT64_MAX);
  EXPECT_GE(of_one, uint64_t{2 + 8});
  EXPECT_LT(of_one, messages.payload() / 5);
  EXPECT_GT(messages.payload_at_most(Offset(1), messages.next(), 100), 100u);
  EXPECT_LT(messages.payload_at_most(Offset(1), messages.next(), 100), messages.payload() / 2);
}

}  // namespace
}  // namespace millrace
