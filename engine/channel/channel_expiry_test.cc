// The effect of passing time on a channel, exact to the millisecond.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/channel/channel.h"

namespace millrace {
namespace {

constexpr uint64_t kBirth = 1'000'000;
constexpr uint64_t kExpire = 100;

Channel new_channel(uint64_t expire_ms = kExpire) {
  return Channel({.secret = {1, 2, 3}, .birth = Clock(), .expire_ms = expire_ms, .active = UnixMs(kBirth)});
}

// Moves the time to this many milliseconds after the creation.
bool tick(Channel& channel, uint64_t ms) {
  const bool moved = channel.tick(UnixMs(kBirth + ms));
  EXPECT_STREQ(channel.check(), nullptr);
  return moved;
}

bool publish(Channel& channel, ByteView id) {
  const bool is_new = channel.publish(id, "content", {}).has_value();
  EXPECT_STREQ(channel.check(), nullptr);
  return is_new;
}

bool lives(const Channel& channel, ByteView name) { return channel.alive(name, channel.now()) != nullptr; }

std::vector<std::string> messages_of(const Channel& channel) {
  std::vector<std::string> ids;
  Message message;
  for (MessageBlocks::Cursor cursor(channel.messages(), Offset(0)); cursor.next(message);) {
    ids.emplace_back(message.tag);
  }
  return ids;
}

std::vector<std::string> living_in(const Channel& channel) {
  std::vector<std::string> names;
  for (const Subscriber& subscriber : channel.subscribers()) {
    if (lives(channel, subscriber.name)) names.push_back(subscriber.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(ChannelExpiry, TimeMovesOnAndNeverBack) {
  Channel channel = new_channel();
  EXPECT_FALSE(tick(channel, 0));
  EXPECT_TRUE(tick(channel, 5));
  EXPECT_FALSE(tick(channel, 5));
  EXPECT_FALSE(tick(channel, 4));
  EXPECT_EQ(channel.now(), UnixMs(kBirth + 5));
}

// --- messages and their ids ---

TEST(ChannelExpiry, AMessageLivesUpToAndIncludingItsLastMillisecond) {
  Channel channel = new_channel();
  publish(channel, "a");
  tick(channel, 1);
  publish(channel, "b");
  tick(channel, kExpire);
  EXPECT_EQ(messages_of(channel), (Names{"a", "b"}));
  EXPECT_FALSE(publish(channel, "a"));
  tick(channel, kExpire + 1);
  EXPECT_EQ(messages_of(channel), Names{"b"});
  EXPECT_TRUE(publish(channel, "a")) << "its id lives no longer than it";
  EXPECT_FALSE(publish(channel, "b"));
  tick(channel, kExpire + 2);
  EXPECT_EQ(messages_of(channel), Names{"a"});
  EXPECT_EQ(channel.clock(), Clock(3)) << "a clock is not given twice";
}

TEST(ChannelExpiry, AReadSeesTheSameWithoutATick) {
  Channel channel = new_channel();
  publish(channel, "a");
  channel.subscribe("s");
  tick(channel, 1);
  publish(channel, "b");
  const UnixMs last(kBirth + kExpire);
  EXPECT_EQ(channel.first_alive(last), Offset(1));
  EXPECT_EQ(channel.find("a", last), Offset(1));
  EXPECT_NE(channel.alive("s", last), nullptr);
  EXPECT_EQ(channel.first_alive(last + 1), Offset(2));
  EXPECT_EQ(channel.find("a", last + 1), std::nullopt);
  EXPECT_EQ(channel.find("b", last + 1), Offset(2));
  EXPECT_EQ(channel.alive("s", last + 1), nullptr);
  EXPECT_EQ(channel.first_alive(last + 2), channel.messages().next());
  EXPECT_EQ(channel.messages().count(), 2u) << "looking changes nothing";
  EXPECT_EQ(channel.subscribers().size(), 1u);
}

TEST(ChannelExpiry, ALateSubscriberContinuesWithTheFirstMessageThatIsLeft) {
  Channel channel = new_channel();
  channel.subscribe("s");
  publish(channel, "a");
  tick(channel, 50);
  publish(channel, "b");
  channel.touch(*channel.alive("s", channel.now()));
  tick(channel, kExpire + 1);
  const Subscriber& subscriber = *channel.alive("s", channel.now());
  const Fetch fetch = channel.fetch(subscriber, 64);
  EXPECT_EQ(fetch.from, Offset(2));
  EXPECT_EQ(fetch.count, 1u);
  EXPECT_FALSE(fetch.more);
  tick(channel, 50 + kExpire);
  EXPECT_EQ(channel.fetch(subscriber, 64).count, 1u);
  EXPECT_EQ(channel.acknowledge(*channel.alive("s", channel.now()), Clock(1)), Ack::Advanced)
      << "a receipt for what has expired since is good";
}

// --- subscribers ---

TEST(ChannelExpiry, ASubscriberLivesUpToAndIncludingItsLastMillisecond) {
  Channel channel = new_channel();
  channel.subscribe("s");
  tick(channel, kExpire);
  EXPECT_TRUE(lives(channel, "s"));
  tick(channel, kExpire + 1);
  EXPECT_FALSE(lives(channel, "s"));
  EXPECT_FALSE(channel.unsubscribe("s"));
}

TEST(ChannelExpiry, SigningLifeIsWhatKeepsASubscriber) {
  Channel channel = new_channel();
  channel.subscribe("idle");
  channel.subscribe("again");
  channel.subscribe("busy");
  tick(channel, 60);
  publish(channel, "a");
  channel.subscribe("again");
  channel.touch(*channel.alive("busy", channel.now()));
  tick(channel, kExpire + 1);
  EXPECT_FALSE(lives(channel, "idle")) << "publishing keeps nobody alive";
  tick(channel, 60 + kExpire);
  EXPECT_EQ(living_in(channel), (Names{"again", "busy"}));
  tick(channel, 61 + kExpire);
  EXPECT_EQ(living_in(channel), Names{});
}

TEST(ChannelExpiry, ASubscriberThatSubscribesAfterItsExpiryStartsAgain) {
  Channel channel = new_channel();
  channel.subscribe("s");
  tick(channel, 90);
  publish(channel, "a");
  tick(channel, kExpire + 1);
  EXPECT_EQ(channel.subscribe("s").position, Offset(1));
  EXPECT_TRUE(lives(channel, "s"));
}

constexpr size_t kMany = 3500;

Channel with_many_subscribers() {
  Channel channel = new_channel();
  for (size_t i = 0; i < kMany; ++i) channel.subscribe("s" + std::to_string(i));
  publish(channel, "a");
  return channel;
}

TEST(ChannelExpiry, SubscribersGoInSlicesYetAtOnce) {
  Channel channel = with_many_subscribers();
  tick(channel, kExpire + 1);
  EXPECT_EQ(channel.subscribers().size(), kMany - 1000) << "a slice has gone";
  EXPECT_EQ(living_in(channel), Names{});
  for (size_t i = 0; i < kMany; i += 7) {
    EXPECT_FALSE(lives(channel, "s" + std::to_string(i)));
    EXPECT_FALSE(channel.unsubscribe("s" + std::to_string(i)));
  }
  const std::string last = "s" + std::to_string(kMany - 1);
  EXPECT_EQ(channel.subscribe(last).position, Offset(1)) << "one that is still there starts anew all the same";
  for (size_t left : {kMany - 2000, kMany - 3000, size_t{1}, size_t{1}}) {
    tick(channel, channel.now() - UnixMs(kBirth) + 1);
    EXPECT_EQ(channel.subscribers().size(), left);
    EXPECT_EQ(living_in(channel), Names{last});
  }
}

TEST(ChannelExpiry, ALongerExpiryDoesNotBringExpiredSubscribersBack) {
  Channel channel = with_many_subscribers();
  tick(channel, kExpire + 1);
  channel.set_expire(1'000'000);
  EXPECT_STREQ(channel.check(), nullptr);
  EXPECT_EQ(living_in(channel), Names{});
  EXPECT_FALSE(lives(channel, "s3000"));
  const Channel copy = channel.clone();
  EXPECT_FALSE(lives(copy, "s3000"));
  EXPECT_EQ(channel.subscribe("s3000").position, Offset(1));
  for (uint64_t ms = 2; ms < 10; ++ms) tick(channel, kExpire + ms);
  EXPECT_EQ(channel.subscribers().size(), 1u);
  EXPECT_EQ(living_in(channel), Names{"s3000"});
}

// --- another expiry ---

TEST(ChannelExpiry, AShorterExpiryHoldsAtOnceForAllThereIs) {
  Channel channel = new_channel();
  channel.subscribe("old");
  publish(channel, "a");
  tick(channel, 40);
  channel.subscribe("young");
  publish(channel, "b");
  tick(channel, 50);
  channel.set_expire(10);
  EXPECT_STREQ(channel.check(), nullptr);
  EXPECT_EQ(messages_of(channel), Names{"b"}) << "in the same millisecond";
  EXPECT_EQ(living_in(channel), Names{"young"});
  EXPECT_EQ(channel.expires_at(), UnixMs(kBirth + 50));
  EXPECT_TRUE(publish(channel, "a"));
  EXPECT_FALSE(publish(channel, "b"));
  tick(channel, 51);
  EXPECT_EQ(messages_of(channel), Names{"a"});
  EXPECT_EQ(living_in(channel), Names{});
}

TEST(ChannelExpiry, ALongerExpiryHoldsForAllThatHasNotExpired) {
  Channel channel = new_channel();
  channel.subscribe("s");
  publish(channel, "a");
  tick(channel, kExpire);
  channel.set_expire(1000);
  tick(channel, 1000);
  EXPECT_EQ(messages_of(channel), Names{"a"});
  EXPECT_TRUE(lives(channel, "s"));
  tick(channel, 1001);
  EXPECT_EQ(messages_of(channel), Names{});
  EXPECT_FALSE(lives(channel, "s"));
}

// --- the channel itself ---

TEST(ChannelExpiry, TheChannelLivesAsLongAfterAnyActivity) {
  Channel channel = new_channel();
  EXPECT_EQ(channel.expires_at(), UnixMs(kBirth + kExpire));
  const auto expires_after = [&](uint64_t ms, auto activity) {
    tick(channel, ms);
    activity();
    return channel.expires_at() - UnixMs(kBirth);
  };
  EXPECT_EQ(expires_after(10, [&] { channel.subscribe("s"); }), 10 + kExpire);
  EXPECT_EQ(expires_after(20, [&] { publish(channel, "a"); }), 20 + kExpire);
  EXPECT_EQ(expires_after(30, [&] { channel.touch(*channel.alive("s", channel.now())); }), 30 + kExpire);
  EXPECT_EQ(expires_after(40, [&] { publish(channel, "a"); }), 30 + kExpire) << "a duplicate";
  EXPECT_EQ(expires_after(50, [&] { channel.unsubscribe("s"); }), 30 + kExpire);
  EXPECT_EQ(expires_after(60, [&] { channel.unsubscribe("s"); }), 30 + kExpire);
  EXPECT_EQ(expires_after(70, [&] { channel.subscribe("s"); }), 70 + kExpire);
}

TEST(ChannelExpiry, NoDatePassesTheEndOfTime) {
  Channel channel = new_channel(1000);
  EXPECT_EQ(channel.expiry_of(UnixMs(INT64_MAX - 1000)), UnixMs(INT64_MAX));
  EXPECT_EQ(channel.expiry_of(UnixMs(INT64_MAX - 1001)), UnixMs(INT64_MAX - 1));
  EXPECT_EQ(channel.expiry_of(UnixMs(INT64_MAX)), UnixMs(INT64_MAX));
  channel.tick(UnixMs(INT64_MAX));
  channel.subscribe("s");
  publish(channel, "a");
  EXPECT_EQ(channel.expires_at(), UnixMs(INT64_MAX));
  EXPECT_TRUE(lives(channel, "s"));
}

TEST(ChannelExpiry, AnExpiryLongerThanTimeItselfExpiresNothing) {
  Channel channel({.secret = {}, .birth = Clock(), .expire_ms = 1'000'000, .active = UnixMs(5)});
  channel.subscribe("s");
  publish(channel, "a");
  channel.tick(UnixMs(999'999));
  EXPECT_EQ(channel.oldest_alive(channel.now()), UnixMs(0));
  EXPECT_TRUE(lives(channel, "s"));
  channel.tick(UnixMs(1'000'005));
  EXPECT_EQ(messages_of(channel), Names{"a"});
  channel.tick(UnixMs(1'000'006));
  EXPECT_EQ(messages_of(channel), Names{});
}

TEST(ChannelExpiry, BlocksThatGoAreHandedOut) {
  Channel channel = new_channel();
  for (int i = 0; i < 100; ++i) channel.publish(std::to_string(i), std::string(1000, 'x'), {});
  EXPECT_GE(channel.messages().block_count(), 7u);
  const uint64_t before = channel.memory();
  tick(channel, kExpire + 1);
  EXPECT_EQ(channel.messages().block_count(), 0u);
  EXPECT_GE(channel.take_evicted().size(), 7u);
  EXPECT_EQ(channel.take_evicted().size(), 0u);
  EXPECT_LE(channel.memory(), before / 10);
}

}  // namespace
}  // namespace millrace
