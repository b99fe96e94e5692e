#include "engine/channel/message_ids.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

constexpr HashKey kKey = {1, 2, 3};

// Messages and their ids, as a channel has them.
struct Known {
  MessageBlocks messages;
  MessageIds ids{kKey};

  Offset add(ByteView id) {
    const Offset offset = messages.append(id, "content");
    ids.add(messages, ids.hash(id), offset);
    return offset;
  }
  std::optional<Offset> find(ByteView id) const { return ids.find(messages, ids.hash(id), id); }
  void evict_before(uint64_t offset) {
    messages.evict_before(Offset(offset));
    ids.shrink(messages);
  }
};

std::string id_of(uint64_t i) { return "id " + std::to_string(i); }

TEST(MessageIds, LeadToTheirMessages) {
  Known known;
  EXPECT_EQ(known.find("a"), std::nullopt);
  for (uint64_t i = 1; i <= 5000; ++i) {
    ASSERT_EQ(known.find(id_of(i)), std::nullopt);
    ASSERT_EQ(known.add(id_of(i)), Offset(i));
  }
  for (uint64_t i = 1; i <= 5000; ++i) ASSERT_EQ(known.find(id_of(i)), Offset(i));
  EXPECT_STREQ(known.ids.check(known.messages), nullptr);
}

TEST(MessageIds, AreAnyBytes) {
  Known known;
  const std::string ids[] = {std::string(1, '\0'), std::string(2, '\0'), "\xff\n", std::string(512, 'x')};
  for (const std::string& id : ids) known.add(id);
  for (uint64_t i = 0; i < std::size(ids); ++i) EXPECT_EQ(known.find(ids[i]), Offset(i + 1));
}

TEST(MessageIds, TwoWithTheSameHashAreDistinguished) {
  Known known;
  const uint32_t hash = known.ids.hash("a");
  const Offset a = known.add("a");
  const Offset b = known.messages.append("b", "content");
  known.ids.add(known.messages, hash, b);
  EXPECT_EQ(known.ids.find(known.messages, hash, "a"), a);
  EXPECT_EQ(known.ids.find(known.messages, hash, "b"), b);
  EXPECT_EQ(known.ids.find(known.messages, hash, "c"), std::nullopt);
}

TEST(MessageIds, AnIdGoesWithItsMessage) {
  Known known;
  for (uint64_t i = 1; i <= 100; ++i) known.add(id_of(i));
  known.messages.evict_before(Offset(51));
  EXPECT_EQ(known.find(id_of(50)), std::nullopt);
  EXPECT_EQ(known.find(id_of(51)), Offset(51));
  EXPECT_STREQ(known.ids.check(known.messages), nullptr);
  EXPECT_EQ(known.add(id_of(50)), Offset(101));
  EXPECT_EQ(known.find(id_of(50)), Offset(101));
}

TEST(MessageIds, TheNewerOfTwoMessagesWithOneIdCounts) {
  Known known;
  known.add("a");
  known.add("b");
  const Offset again = known.messages.append("a", "content");
  known.ids.add_or_replace(known.messages, known.ids.hash("a"), "a", again);
  known.ids.add_or_replace(known.messages, known.ids.hash("c"), "c", known.messages.append("c", "content"));
  EXPECT_EQ(known.find("a"), again);
  EXPECT_EQ(known.find("c"), Offset(4));
  known.evict_before(3);
  EXPECT_EQ(known.find("a"), again);
  EXPECT_EQ(known.find("b"), std::nullopt);
  EXPECT_STREQ(known.ids.check(known.messages), nullptr);
}

// The index holds the low 32 bits of offsets: across the point where they begin again, and
// far beyond it, an id still leads to its message.
TEST(MessageIds, OffsetsBeyondThirtyTwoBitsAreFound) {
  for (uint64_t next : {(uint64_t{1} << 32) - 50, (uint64_t{7} << 32) - 50, kMaxOffset.value() - 150}) {
    SCOPED_TRACE(next);
    Known known;
    MessagesHead head;
    head.first = head.next = Offset(next);
    ASSERT_TRUE(known.messages.restore_head(head));
    for (uint64_t i = 0; i < 100; ++i) ASSERT_EQ(known.add(id_of(i)), Offset(next + i));
    for (uint64_t i = 0; i < 100; ++i) ASSERT_EQ(known.find(id_of(i)), Offset(next + i));
    known.evict_before(next + 60);
    for (uint64_t i = 0; i < 100; ++i) ASSERT_EQ(known.find(id_of(i)).has_value(), i >= 60);
    EXPECT_STREQ(known.ids.check(known.messages), nullptr);
  }
}

TEST(MessageIds, OfAChannelThatMovesOnTakeNoMoreMemory) {
  Known known;
  uint64_t most = 0;
  for (uint64_t i = 1; i <= 100'000; ++i) {
    known.add(id_of(i));
    if (i > 1000) known.evict_before(i - 999);
    most = std::max(most, known.ids.memory());
  }
  EXPECT_LE(most, 64u * 1024);
  EXPECT_STREQ(known.ids.check(known.messages), nullptr);
  known.evict_before(known.messages.next().value());
  EXPECT_EQ(known.ids.memory(), 0u);
}

TEST(MessageIds, ACloneStandsOnItsOwn) {
  Known known;
  for (uint64_t i = 1; i <= 100; ++i) known.add(id_of(i));
  Known copy{known.messages.clone(), known.ids.clone()};
  known.evict_before(101);
  for (uint64_t i = 1; i <= 100; ++i) ASSERT_EQ(copy.find(id_of(i)), Offset(i));
  EXPECT_EQ(copy.ids.hash("a"), known.ids.hash("a"));
  EXPECT_STREQ(copy.ids.check(copy.messages), nullptr);
}

}  // namespace
}  // namespace millrace
