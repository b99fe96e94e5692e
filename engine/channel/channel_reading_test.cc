// Reading a channel by position: the messages behind it, how many were missed, and which positions are refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/channel/channel_operations.h"

namespace millrace {
namespace {

constexpr uint64_t kNow = 1'000'000;
constexpr uint64_t kExpire = 100;

class Given final : public PositionSink {
 public:
  std::vector<std::string> ids;
  std::vector<ChannelPosition> positions;
  std::optional<ChannelPosition> position;
  bool more = false;
  uint64_t missed = 0;

 private:
  void begin(uint64_t count) override { ids.reserve(count); }
  void message(const ChannelPosition& behind, const Message& message) override {
    ids.emplace_back(message.tag);
    positions.push_back(behind);
  }
  void end(const std::optional<ChannelPosition>& last, bool has_more, uint64_t expired) override {
    position = last;
    more = has_more;
    missed = expired;
  }
};

class ChannelReadingTest : public ::testing::Test {
 protected:
  void create(unsigned char life, Clock birth = Clock()) {
    channel.emplace(
        ChannelHead{.secret = secret_of(life), .birth = birth, .expire_ms = kExpire, .active = UnixMs(kNow)});
  }
  static HashKey secret_of(unsigned char life) {
    HashKey secret;
    secret.fill(life);
    return secret;
  }
  void publish(uint64_t date, std::initializer_list<ByteView> ids) {
    channel->tick(UnixMs(date));
    for (ByteView id : ids) ASSERT_TRUE(channel->publish(id, "content", {}));
  }
  Given read(ChannelStart start, uint64_t date = kNow, uint64_t max = 64) {
    Given given;
    const auto done = operations.read(channel ? &*channel : nullptr, {start, max}, UnixMs(date), given);
    EXPECT_TRUE(done);
    return given;
  }
  Given read_after(const ChannelPosition& position, uint64_t date = kNow) { return read(after(position), date); }
  bool is_refused(const ChannelPosition& position) {
    Given given;
    const auto done = operations.read(channel ? &*channel : nullptr, {after(position), 64}, UnixMs(kNow), given);
    return !done && done.error().code == ErrorCode::BadPosition;
  }
  static ChannelStart after(const ChannelPosition& position) { return {ChannelStart::Kind::After, position}; }

  static constexpr ChannelStart kFirst{ChannelStart::Kind::First, {}};
  static constexpr ChannelStart kEnd{ChannelStart::Kind::End, {}};

  ChannelLimits limits;
  ChannelOperations operations{[](HashKey&) {}, limits};
  std::optional<Channel> channel;
};

using Ids = std::vector<std::string>;

TEST_F(ChannelReadingTest, GivesWhatLiesBehindAPosition) {
  create(1);
  publish(kNow, {"a", "b", "c"});
  const Given all = read(kFirst);
  EXPECT_EQ(all.ids, (Ids{"a", "b", "c"}));
  EXPECT_FALSE(all.more);
  EXPECT_EQ(all.position, all.positions.back());
  EXPECT_EQ(read_after(all.positions[0]).ids, (Ids{"b", "c"}));
  EXPECT_EQ(read_after(all.positions[2]).ids, Ids{});
  EXPECT_EQ(read_after(all.positions[2]).position, all.position) << "nothing new: it stays where it is";
  const Given two = read(kFirst, kNow, 2);
  EXPECT_EQ(two.ids, (Ids{"a", "b"}));
  EXPECT_TRUE(two.more);
  EXPECT_EQ(two.position, all.positions[1]);
}

TEST_F(ChannelReadingTest, BytesEndAnAnswerButNeverBeforeItsFirstMessage) {
  create(1);
  publish(kNow, {"a", "b", "c"});  // 8 bytes each
  limits.read_bytes = 23;
  const Given two = read(kFirst);
  EXPECT_EQ(two.ids, (Ids{"a", "b"}));
  EXPECT_TRUE(two.more);
  EXPECT_EQ(two.position, two.positions.back());
  EXPECT_EQ(read_after(*two.position).ids, Ids{"c"});
  limits.read_bytes = 1;
  EXPECT_EQ(read(kFirst).ids, Ids{"a"});
  EXPECT_EQ(read(kEnd).ids, Ids{});
  const auto read_within = [&](uint64_t bytes) {
    Given given;
    EXPECT_TRUE(operations.read(&*channel, {kFirst, 64, bytes}, UnixMs(kNow), given));
    return given;
  };
  EXPECT_EQ(read_within(24).ids, (Ids{"a", "b", "c"})) << "what the request says counts, not the limits";
  EXPECT_FALSE(read_within(24).more);
  EXPECT_EQ(read_within(16).ids, (Ids{"a", "b"}));
}

TEST_F(ChannelReadingTest, AnAnswerWithinBytesIsTheSameHoweverMessagesLieInBlocks) {
  create(1);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(channel->publish(std::to_string(1000 + i), std::string(size_t(i % 7), 'x'), {.bytes = 256}));
  }
  ASSERT_GT(channel->messages().block_count(), 3u);
  for (uint64_t bytes = 1; bytes < 1700; bytes += 13) {
    uint64_t expected = 0;
    for (uint64_t used = 0; expected < 200 && (used += 4 + expected % 7) <= bytes;) ++expected;
    Given given;
    ASSERT_TRUE(operations.read(&*channel, {kFirst, 1000, bytes}, UnixMs(kNow), given));
    ASSERT_EQ(given.ids.size(), std::max<uint64_t>(expected, 1)) << bytes;
    ASSERT_EQ(given.more, given.ids.size() < 200) << bytes;
  }
}

TEST_F(ChannelReadingTest, TheEndOfAChannelIsAPositionEvenOfAnEmptyOne) {
  create(1);
  const Given empty = read(kEnd);
  EXPECT_EQ(empty.ids, Ids{});
  ASSERT_TRUE(empty.position);
  publish(kNow, {"a"});
  EXPECT_EQ(read_after(*empty.position).ids, Ids{"a"});
  EXPECT_EQ(read(kEnd).ids, Ids{});
}

TEST_F(ChannelReadingTest, AMissingChannelIsEmptyAndHasNoPosition) {
  EXPECT_EQ(read(kFirst).position, std::nullopt);
  EXPECT_EQ(read(kEnd).position, std::nullopt);
  EXPECT_TRUE(is_refused({.clock = Clock(0), .mark = 0, .life = 1}));
}

TEST_F(ChannelReadingTest, CountsWhatExpiredInBetween) {
  create(1);
  const ChannelPosition start = *read(kEnd).position;
  publish(kNow, {"a", "b"});
  const ChannelPosition behind_a = read(kFirst).positions[0];
  publish(kNow + 50, {"c"});
  const Given later = read_after(behind_a, kNow + kExpire + 1);
  EXPECT_EQ(later.ids, Ids{"c"});
  EXPECT_EQ(later.missed, 1u) << "b has expired";
  EXPECT_EQ(read_after(start, kNow + kExpire + 1).missed, 2u);
  EXPECT_EQ(read(kFirst, kNow + kExpire + 1).missed, 0u) << "who wants what there is misses nothing";
  // The same when the messages are gone from memory.
  channel->tick(UnixMs(kNow + 10 * kExpire));
  const Given none = read_after(behind_a, kNow + 10 * kExpire);
  EXPECT_EQ(none.ids, Ids{});
  EXPECT_EQ(none.missed, 2u);
  ASSERT_TRUE(none.position);
  EXPECT_EQ(none.position->mark, 0u) << "the last message cannot be seen any more";
  EXPECT_EQ(read_after(*none.position, kNow + 10 * kExpire).missed, 0u);
}

TEST_F(ChannelReadingTest, RefusesAPositionOfAnotherLife) {
  create(1);
  publish(kNow, {"a", "b", "c"});
  const Given old = read(kFirst);
  create(2);
  EXPECT_TRUE(is_refused(old.positions[0])) << "it has not come so far";
  publish(kNow, {"a", "b", "c"});
  for (const ChannelPosition& position : old.positions) EXPECT_TRUE(is_refused(position));
  channel->tick(UnixMs(kNow + 10 * kExpire));
  EXPECT_TRUE(is_refused(old.positions[0])) << "the message at its clock has expired";
}

TEST_F(ChannelReadingTest, RefusesAPositionOfAStateThatWasPutBack) {
  create(1);
  publish(kNow, {"a", "lost"});
  const Given old = read(kFirst);
  create(1);
  publish(kNow, {"a", "other"});
  EXPECT_EQ(read_after(old.positions[0]).ids, Ids{"other"});
  EXPECT_TRUE(is_refused(old.positions[1])) << "another message is at its clock";
}

TEST_F(ChannelReadingTest, TheBeginningOfAReceiptIsAPosition) {
  create(1);
  publish(kNow, {"a", "b"});
  const Receipt receipt = channel->receipt_for(Offset(1));
  EXPECT_EQ(read_after({.clock = receipt.clock, .mark = receipt.mark, .life = {}}).ids, Ids{"b"});
  EXPECT_TRUE(is_refused({.clock = receipt.clock, .mark = receipt.mark + 1, .life = {}}));
  EXPECT_TRUE(is_refused({.clock = Clock(3), .mark = receipt.mark, .life = {}})) << "ahead of the channel";
}

TEST_F(ChannelReadingTest, PositionsGoRoundTheSeamOfTheClock) {
  create(1, Clock(Clock::kMax - 1));
  publish(kNow, {"a", "b", "c"});
  const Given all = read(kFirst);
  EXPECT_EQ(all.positions[1].clock.value(), Clock::kMin);
  EXPECT_EQ(read_after(all.positions[0]).ids, (Ids{"b", "c"}));
  EXPECT_EQ(read_after(all.positions[1]).ids, Ids{"c"});
}

TEST(ChannelPositionText, IsReadAsItWasWritten) {
  for (const int64_t clock : {int64_t{0}, int64_t{-1}, Clock::kMax, Clock::kMin}) {
    for (const uint32_t mark : {0u, 1u, UINT32_MAX}) {
      const ChannelPosition position{.clock = Clock(clock), .mark = mark, .life = 0xc0ffee};
      EXPECT_EQ(read_channel_position(to_text(position)), position);
    }
  }
  EXPECT_EQ(to_text({.clock = Clock(42), .mark = 0x5be0cd19, .life = 0xc0ffee42}), "42.5be0cd19c0ffee42");
}

TEST(ChannelPositionText, OtherBytesAreNoPosition) {
  for (const ByteView text : {"", ".", "42", "42.", "x.00000001", "+1.00000001", "01.00000001", "-0.00000001",
                              "1.0000000g", "1.00000001 ", "1.000000010000000", "1.00000001000000010", "1.-0000001"}) {
    EXPECT_EQ(read_channel_position(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace millrace
