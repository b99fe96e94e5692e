#include "engine/channel/channel_codec.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "engine/base/limits.h"

namespace millrace {
namespace {

constexpr uint64_t kNow = 1'000'000;
constexpr HashKey kSecret = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
const std::string kSecretBytes = "0123456789abcdef";

std::string varints(std::initializer_list<uint64_t> numbers) {
  std::string bytes;
  for (uint64_t number : numbers) append_varint(bytes, number);
  return bytes;
}

std::string head_bytes(uint64_t version, ByteView secret, std::initializer_list<uint64_t> numbers) {
  return varints({version}) + std::string(secret) + varints(numbers);
}

std::string subscriber_bytes(ByteView name, uint64_t position, uint64_t active) {
  return varints({name.size()}) + std::string(name) + varints({position, active});
}

ChannelHead head_at(int64_t clock) {
  return {.secret = kSecret, .birth = Clock(clock), .expire_ms = 1000, .active = UnixMs(kNow)};
}

// Five messages in three blocks, the first two of them expired; three subscribers.
Channel some_channel() {
  Channel channel(head_at(Clock::kMax - 2));
  const BlockLimits limits{.bytes = 1024, .messages = 2};
  for (const char* id : {"a", "b"}) channel.publish(id, "gone", limits);
  channel.subscribe("gone");
  for (uint64_t i = 0; i < 3; ++i) {
    channel.tick(UnixMs(kNow + 600 + i));
    channel.publish("id " + std::to_string(i), std::string(i, 'x'), limits);
    channel.subscribe(std::to_string(i));
  }
  channel.tick(UnixMs(kNow + 1001));
  return channel;
}

// Encodes and decodes, as a save and a load do, and checks after each step.
Channel reloaded(const Channel& channel) {
  const auto head = decode_channel_head(encode_channel_head(channel.head()));
  EXPECT_TRUE(head) << head.error().text;
  Channel again(head.value_or(ChannelHead{}));
  EXPECT_STREQ(again.check(), nullptr);
  channel.messages().each_block([&](const Block& block) {
    const auto added = again.append_block(block.header(), Buffer::copy_of(block.bytes()));
    EXPECT_TRUE(added) << added.error().text;
    EXPECT_STREQ(again.check(), nullptr);
  });
  const auto log_head = decode_head(encode_head(saved_head(channel.messages())));
  EXPECT_TRUE(log_head && again.restore_log_head(*log_head));
  for (const std::string& bytes : encode_subscribers(channel)) {
    const auto restored = restore_subscribers(again, bytes);
    EXPECT_TRUE(restored) << restored.error().text;
    EXPECT_STREQ(again.check(), nullptr);
  }
  return again;
}

void expect_same(const Channel& a, const Channel& b) {
  EXPECT_EQ(encode_channel_head(a.head()), encode_channel_head(b.head()));
  EXPECT_EQ(encode_head(saved_head(a.messages())), encode_head(saved_head(b.messages())));
  EXPECT_EQ(encode_subscribers(a), encode_subscribers(b));
  EXPECT_EQ(a.clock(), b.clock());
  Message x{}, y{};
  MessageBlocks::Cursor in_a(a.messages(), Offset(1)), in_b(b.messages(), Offset(1));
  while (in_a.next(x)) {
    ASSERT_TRUE(in_b.next(y));
    EXPECT_EQ(x.tag, y.tag);
    EXPECT_EQ(x.entry, y.entry);
    EXPECT_EQ(x.written, y.written);
    EXPECT_EQ(a.find(x.tag, a.now()), x.offset);
    EXPECT_EQ(b.find(x.tag, b.now()), x.offset);
  }
  EXPECT_FALSE(in_b.next(y));
}

TEST(ChannelCodec, WritesTheBytesItsHeaderSays) {
  EXPECT_EQ(encode_channel_head(head_at(0)), head_bytes(1, kSecretBytes, {Clock::kMax, 1000, kNow}));
  EXPECT_EQ(encode_channel_head(head_at(Clock::kMin)), head_bytes(1, kSecretBytes, {0, 1000, kNow}));
  Channel channel(head_at(0));
  EXPECT_TRUE(encode_subscribers(channel).empty());
  channel.subscribe("s");
  channel.publish("a", "content", {});
  channel.tick(UnixMs(kNow + 5));
  channel.subscribe("second");
  const auto strings = encode_subscribers(channel);
  ASSERT_EQ(strings.size(), 1u);
  EXPECT_EQ(strings[0], subscriber_bytes("s", 0, kNow) + subscriber_bytes("second", 1, kNow + 5));
}

TEST(ChannelCodec, AChannelComesBackAsItWas) {
  Channel channels[] = {Channel(head_at(0)), some_channel(), some_channel(), some_channel()};
  channels[2].subscribe("late");
  channels[2].publish("late", "content", {});
  channels[3].tick(UnixMs(kNow + 100'000));  // nothing is left but its clock
  for (const Channel& channel : channels) expect_same(channel, reloaded(channel));
}

TEST(ChannelCodec, EveryClockComesBack) {
  for (int64_t clock : {Clock::kMin, Clock::kMin + 1, int64_t{-1}, int64_t{0}, int64_t{1}, Clock::kMax}) {
    const auto head = decode_channel_head(encode_channel_head(head_at(clock)));
    ASSERT_TRUE(head) << head.error().text;
    EXPECT_EQ(head->birth, Clock(clock));
    EXPECT_EQ(head->secret, kSecret);
    EXPECT_EQ(head->expire_ms, 1000u);
    EXPECT_EQ(head->active, UnixMs(kNow));
  }
}

TEST(ChannelCodec, AReloadedChannelGoesOnAsTheOriginalDoes) {
  Channel channel = some_channel();
  Channel again = reloaded(channel);
  for (Channel* each : {&channel, &again}) {
    EXPECT_FALSE(each->publish("id 1", "duplicate", {}));
    EXPECT_TRUE(each->publish("a", "its first has expired", {}));
    EXPECT_EQ(each->acknowledge(*each->alive("0", each->now()), each->clock()), Ack::Advanced);
    each->tick(UnixMs(kNow + 1602));
    EXPECT_EQ(each->alive("1", each->now()), nullptr);
    EXPECT_NE(each->alive("2", each->now()), nullptr);
    EXPECT_STREQ(each->check(), nullptr);
  }
  expect_same(channel, again);
}

TEST(ChannelCodec, ManySubscribersAreSeveralStringsOfSomeHundredEach) {
  Channel channel(head_at(0));
  for (int i = 0; i < 10'000; ++i) channel.subscribe("subscriber " + std::to_string(i));
  const auto strings = encode_subscribers(channel);
  EXPECT_GE(strings.size(), 10u);
  for (const std::string& bytes : strings) EXPECT_LE(bytes.size(), 16u * 1024 + 600);
  expect_same(channel, reloaded(channel));
}

TEST(ChannelCodec, SubscribersThatAreStillToBeRemovedComeBackAsDeadAsTheyWere) {
  Channel channel(head_at(0));
  for (int i = 0; i < 2500; ++i) channel.subscribe(std::to_string(i));
  channel.tick(UnixMs(kNow + 500));
  channel.subscribe("living");
  channel.tick(UnixMs(kNow + 1001));
  EXPECT_EQ(channel.subscribers().size(), 1501u);
  Channel again = reloaded(channel);
  expect_same(channel, again);
  EXPECT_EQ(again.alive("2000", again.now()), nullptr);
  EXPECT_NE(again.alive("living", again.now()), nullptr);
  for (Channel* each : {&channel, &again}) each->set_expire(1'000'000);
  expect_same(channel, again);
  EXPECT_EQ(again.alive("2000", again.now()), nullptr);
}

// --- corruption ---

struct CorruptRow {
  const char* name;
  std::string bytes;
  const char* reason;
};

constexpr uint64_t kTooLarge = uint64_t{1} << 63;
constexpr char kWrongVersion[] = "a channel of a version this module does not know";
constexpr char kWrongLength[] = "a channel head of the wrong length";

TEST(ChannelCodec, RefusesAnInvalidHead) {
  const CorruptRow rows[] = {
      {"nothing", "", kWrongVersion},
      {"version 0", head_bytes(0, kSecretBytes, {0, 1, 0}), kWrongVersion},
      {"version 2", head_bytes(2, kSecretBytes, {0, 1, 0}), kWrongVersion},
      {"the version alone", varints({1}), kWrongLength},
      {"a short secret", varints({1}) + kSecretBytes.substr(1), kWrongLength},
      {"a number missing", head_bytes(1, kSecretBytes, {0, 1}), kWrongLength},
      {"a number too many", head_bytes(1, kSecretBytes, {0, 1, 0, 0}), kWrongLength},
      {"cut inside a number", head_bytes(1, kSecretBytes, {0, 1}) + "\x80", kWrongLength},
      {"a clock behind the last", head_bytes(1, kSecretBytes, {Clock::kCount, 1, 0}),
       "a channel head with an impossible clock"},
      {"no expiry", head_bytes(1, kSecretBytes, {0, 0, 0}), "a channel head with an impossible expiry"},
      {"more than a hundred years", head_bytes(1, kSecretBytes, {0, kMaxDurationMs + 1, 0}),
       "a channel head with an impossible expiry"},
      {"active too late", head_bytes(1, kSecretBytes, {0, 1, kTooLarge}), "a channel head beyond the end of time"},
  };
  for (const CorruptRow& row : rows) {
    SCOPED_TRACE(row.name);
    const auto head = decode_channel_head(row.bytes);
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(head.error().text, row.reason);
  }
}

TEST(ChannelCodec, TakesAHeadAtItsLimits) {
  const auto head =
      decode_channel_head(head_bytes(1, kSecretBytes, {Clock::kCount - 1, kMaxDurationMs, kTooLarge - 1}));
  ASSERT_TRUE(head) << head.error().text;
  EXPECT_EQ(head->birth, Clock(Clock::kMax));
  const Channel channel(*head);
  EXPECT_STREQ(channel.check(), nullptr);
  EXPECT_EQ(channel.expires_at(), UnixMs(INT64_MAX));
  EXPECT_TRUE(decode_channel_head(head_bytes(1, kSecretBytes, {0, 1, 0})));
}

// The bytes follow a channel with 3 messages and the subscriber "known", active at kNow.
TEST(ChannelCodec, RefusesSubscribersThatCannotBe) {
  const std::string good = subscriber_bytes("s", 3, kNow);
  const std::string longest(kMaxNameBytes, 'x');
  const CorruptRow rows[] = {
      {"nothing", "", "subscribers of the wrong length"},
      {"cut inside a name", good.substr(0, 1), "subscribers of the wrong length"},
      {"cut behind a name", good.substr(0, 2), "subscribers of the wrong length"},
      {"cut inside a number", good.substr(0, good.size() - 1), "subscribers of the wrong length"},
      {"half a second one", good + varints({5}), "subscribers of the wrong length"},
      {"a name longer than all bytes", varints({UINT64_MAX}) + good, "subscribers of the wrong length"},
      {"no name", subscriber_bytes("", 3, kNow), "a subscriber's name of an impossible length"},
      {"too long a name", subscriber_bytes(longest + "x", 3, kNow), "a subscriber's name of an impossible length"},
      {"ahead", subscriber_bytes("s", 4, kNow), "a subscriber ahead of its channel"},
      {"far ahead", subscriber_bytes("s", UINT64_MAX, kNow), "a subscriber ahead of its channel"},
      {"from the future", subscriber_bytes("s", 3, kNow + 1), "a subscriber from the future"},
      {"known", subscriber_bytes("known", 3, kNow), "a subscriber that is there twice"},
      {"twice", good + good, "a subscriber that is there twice"},
      {"out of order", subscriber_bytes("s", 3, kNow - 1), "subscribers out of order"},
  };
  for (const CorruptRow& row : rows) {
    SCOPED_TRACE(row.name);
    Channel channel(head_at(0));
    for (const char* id : {"a", "b", "c"}) channel.publish(id, "content", {});
    channel.subscribe("known");
    const auto restored = restore_subscribers(channel, row.bytes);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(restored.error().text, row.reason);
    EXPECT_STREQ(channel.check(), nullptr);
    EXPECT_LE(channel.subscribers().size(), 2u) << "those before the bad one stay";
  }
  Channel channel(head_at(0));
  EXPECT_TRUE(restore_subscribers(channel, subscriber_bytes(longest, 0, 0) + subscriber_bytes("s", 0, kNow)));
}

TEST(ChannelCodec, RefusesALogThatIsNotAChannels) {
  const auto with = [](auto field, auto value) {
    SavedHead head;
    head.clock = UnixMs(kNow);
    head.*field = value;
    return head;
  };
  const char* const of_log = "a log that is not a channel's";
  const struct {
    const char* name;
    SavedHead head;
    const char* reason;
  } rows[] = {
      {"groups", with(&SavedHead::groups, 1u), of_log},
      {"a limit on count", with(&SavedHead::count, 5u), of_log},
      {"a limit on age", with(&SavedHead::age_ms, 5u), of_log},
      {"a limit on bytes", with(&SavedHead::bytes, 5u), of_log},
      {"eviction by groups", with(&SavedHead::acked, true), of_log},
      {"compaction", with(&SavedHead::latest, true), of_log},
      {"compacted messages", with(&SavedHead::compacted, 1u), of_log},
      {"compacted messages at the front", with(&SavedHead::evicted_end, Offset(0)), of_log},
      {"a clock behind", with(&SavedHead::clock, UnixMs(kNow - 1)), "a log head that is older than its last message"},
      {"messages that are not there", with(&SavedHead::next, Offset(2)),
       "a log head that does not belong to its blocks"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Channel channel(head_at(0));
    const auto restored = channel.restore_log_head(row.head);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(restored.error().text, row.reason);
    expect_same(channel, Channel(head_at(0)));
  }
}

TEST(ChannelCodec, ABlockThatIsRefusedChangesNothing) {
  const Channel source = some_channel();
  Channel channel(head_at(0));
  channel.publish("first", "content", {});
  const Channel before = channel.clone();
  source.messages().each_block([&](const Block& block) {
    const auto added = channel.append_block(block.header(), Buffer::copy_of(block.bytes()));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().text, "a block that does not follow on");
  });
  BlockHeader header{.first = channel.messages().next(), .first_time = UnixMs(kNow), .count = UINT32_MAX};
  EXPECT_EQ(channel.append_block(header, Buffer::copy_of("x")).error().text, "more messages than a channel holds");
  header.count = 1;
  EXPECT_EQ(channel.append_block(header, Buffer::copy_of("x")).error().code, ErrorCode::Corrupt);
  header.unpacked = 100;
  EXPECT_EQ(channel.append_block(header, Buffer::copy_of("x")).error().text, "a channel packs no blocks");
  expect_same(channel, before);
  EXPECT_STREQ(channel.check(), nullptr);
}

// No server writes such blocks, but any client may send them.
TEST(ChannelCodec, OfTwoMessagesWithOneIdTheNewerIsFound) {
  MessageBlocks log;
  log.tick(UnixMs(kNow));
  for (const char* id : {"a", "b", "a"}) log.append(id, "content");
  Channel channel(head_at(0));
  log.each_block(
      [&](const Block& block) { ASSERT_TRUE(channel.append_block(block.header(), Buffer::copy_of(block.bytes()))); });
  EXPECT_STREQ(channel.check(), nullptr);
  EXPECT_EQ(channel.find("a", channel.now()), Offset(3));
  EXPECT_FALSE(channel.publish("a", "again", {}));
  EXPECT_EQ(channel.publish("c", "content", {}), Clock(4));
}

}  // namespace
}  // namespace millrace
