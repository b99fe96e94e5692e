// What publishers and subscribers get. channel_expiry_test.cc tests the effect of passing time.
#include "engine/channel/channel.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace {
namespace {

constexpr uint64_t kNow = 1'000'000;

Channel channel_at(int64_t clock) {
  return Channel({.secret = {1, 2, 3}, .birth = Clock(clock), .expire_ms = 1000, .active = UnixMs(kNow)});
}

std::optional<int64_t> publish(Channel& channel, ByteView id, ByteView content = "content") {
  const auto clock = channel.publish(id, content, {});
  EXPECT_STREQ(channel.check(), nullptr);
  return clock ? std::optional(clock->value()) : std::nullopt;
}

// The ids that a fetch returns.
std::vector<std::string> ids_in(const Channel& channel, const Fetch& fetch) {
  std::vector<std::string> ids;
  MessageBlocks::Cursor cursor(channel.messages(), fetch.from);
  Message message;
  for (uint64_t i = 0; i < fetch.count && cursor.next(message); ++i) ids.emplace_back(message.tag);
  return ids;
}
std::vector<std::string> fetched(const Channel& channel, ByteView name, uint64_t max = 64) {
  return ids_in(channel, channel.fetch(*channel.alive(name, channel.now()), max));
}

Ack acknowledge(Channel& channel, ByteView name, int64_t clock) {
  const Ack ack = channel.acknowledge(*channel.alive(name, channel.now()), Clock(clock));
  EXPECT_STREQ(channel.check(), nullptr);
  return ack;
}

int64_t clock_of(const Channel& channel, ByteView name) {
  return channel.clock_of(channel.alive(name, channel.now())->position).value();
}

using Ids = std::vector<std::string>;

TEST(Channel, ANewOneStandsAtTheClockItWasMadeWith) {
  for (int64_t clock : {Clock::kMin, int64_t{0}, int64_t{41}, Clock::kMax}) {
    const Channel channel = channel_at(clock);
    EXPECT_EQ(channel.clock(), Clock(clock));
    EXPECT_EQ(channel.now(), UnixMs(kNow));
    EXPECT_TRUE(channel.messages().empty());
    EXPECT_EQ(channel.subscribers().size(), 0u);
    EXPECT_STREQ(channel.check(), nullptr);
  }
}

TEST(Channel, PublishingMovesTheClockByOne) {
  Channel channel = channel_at(0);
  EXPECT_EQ(publish(channel, "a"), 1);
  EXPECT_EQ(publish(channel, "b"), 2);
  EXPECT_EQ(channel.clock(), Clock(2));
  EXPECT_EQ(channel.messages().count(), 2u);
}

TEST(Channel, AnIdThatWasPublishedBeforeChangesNothing) {
  Channel channel = channel_at(0);
  publish(channel, "a", "first");
  channel.tick(UnixMs(kNow + 1));
  EXPECT_EQ(publish(channel, "a", "second"), std::nullopt);
  EXPECT_EQ(channel.clock(), Clock(1));
  EXPECT_EQ(channel.head().active, UnixMs(kNow)) << "a duplicate is no activity";
  Message message;
  MessageBlocks::Cursor cursor(channel.messages(), Offset(1));
  ASSERT_TRUE(cursor.next(message));
  EXPECT_EQ(message.entry, "first");
  EXPECT_FALSE(cursor.next(message));
}

TEST(Channel, IdsThatDifferLittleAreDifferent) {
  Channel channel = channel_at(0);
  const std::string ids[] = {"a", "A", "a ", std::string("a\0", 2), std::string("a\0a", 3), "aa"};
  for (const std::string& id : ids) EXPECT_TRUE(publish(channel, id));
  for (const std::string& id : ids) EXPECT_FALSE(publish(channel, id));
  EXPECT_EQ(channel.messages().count(), std::size(ids));
}

TEST(Channel, AMessageIsFoundByItsId) {
  Channel channel = channel_at(41);
  publish(channel, "a");
  publish(channel, "b");
  EXPECT_EQ(channel.find("b", channel.now()), Offset(2));
  EXPECT_EQ(channel.clock_of(*channel.find("b", channel.now())), Clock(43));
  EXPECT_EQ(channel.find("c", channel.now()), std::nullopt);
}

// --- subscribing and fetching ---

TEST(Channel, ASubscriberGetsWhatIsPublishedAfterIt) {
  Channel channel = channel_at(0);
  publish(channel, "before");
  EXPECT_EQ(channel.subscribe("s").position, Offset(1));
  EXPECT_EQ(fetched(channel, "s"), Ids{});
  publish(channel, "a");
  publish(channel, "b");
  EXPECT_EQ(fetched(channel, "s"), (Ids{"a", "b"}));
}

TEST(Channel, SubscribingAgainKeepsThePosition) {
  Channel channel = channel_at(0);
  channel.subscribe("s");
  publish(channel, "a");
  EXPECT_EQ(channel.subscribe("s").position, Offset(0));
  EXPECT_EQ(fetched(channel, "s"), Ids{"a"});
  EXPECT_EQ(channel.subscribers().size(), 1u);
}

TEST(Channel, UnsubscribingForgetsThePosition) {
  Channel channel = channel_at(0);
  channel.subscribe("s");
  publish(channel, "a");
  EXPECT_TRUE(channel.unsubscribe("s"));
  EXPECT_EQ(channel.alive("s", channel.now()), nullptr);
  EXPECT_FALSE(channel.unsubscribe("s"));
  EXPECT_FALSE(channel.unsubscribe("never there"));
  EXPECT_EQ(channel.subscribe("s").position, Offset(1));
  EXPECT_EQ(fetched(channel, "s"), Ids{});
}

TEST(Channel, FetchingAgainReturnsTheSame) {
  Channel channel = channel_at(0);
  channel.subscribe("s");
  for (const char* id : {"a", "b", "c"}) publish(channel, id);
  EXPECT_EQ(fetched(channel, "s", 2), (Ids{"a", "b"}));
  EXPECT_EQ(fetched(channel, "s", 2), (Ids{"a", "b"}));
  EXPECT_EQ(fetched(channel, "s", 3), (Ids{"a", "b", "c"}));
}

TEST(Channel, MoreSaysThatThereIsMore) {
  Channel channel = channel_at(0);
  const Subscriber& subscriber = channel.subscribe("s");
  EXPECT_FALSE(channel.fetch(subscriber, 1).more);
  EXPECT_EQ(channel.fetch(subscriber, 1).count, 0u);
  for (const char* id : {"a", "b", "c"}) publish(channel, id);
  for (uint64_t max : {1u, 2u, 3u, 4u}) {
    const Fetch fetch = channel.fetch(subscriber, max);
    EXPECT_EQ(fetch.count, std::min<uint64_t>(max, 3));
    EXPECT_EQ(fetch.last(), Offset(fetch.count));
    EXPECT_EQ(fetch.more, max < 3);
  }
}

TEST(Channel, SubscribersGoEachAtItsOwnPace) {
  Channel channel = channel_at(0);
  channel.subscribe("fast");
  channel.subscribe("slow");
  for (const char* id : {"a", "b", "c"}) publish(channel, id);
  EXPECT_EQ(acknowledge(channel, "fast", 3), Ack::Advanced);
  EXPECT_EQ(acknowledge(channel, "slow", 1), Ack::Advanced);
  publish(channel, "d");
  EXPECT_EQ(fetched(channel, "fast"), Ids{"d"});
  EXPECT_EQ(fetched(channel, "slow"), (Ids{"b", "c", "d"}));
}

// --- acknowledging ---

TEST(Channel, AnAcknowledgedMessageDoesNotComeAgain) {
  Channel channel = channel_at(0);
  channel.subscribe("s");
  for (const char* id : {"a", "b", "c"}) publish(channel, id);
  EXPECT_EQ(acknowledge(channel, "s", 2), Ack::Advanced);
  EXPECT_EQ(fetched(channel, "s"), Ids{"c"});
  EXPECT_EQ(acknowledge(channel, "s", 2), Ack::Already) << "a retry";
  EXPECT_EQ(acknowledge(channel, "s", 1), Ack::Already) << "an older one, late";
  EXPECT_EQ(acknowledge(channel, "s", 0), Ack::Already);
  EXPECT_EQ(clock_of(channel, "s"), 2);
  EXPECT_EQ(acknowledge(channel, "s", 3), Ack::Advanced);
  EXPECT_EQ(fetched(channel, "s"), Ids{});
}

TEST(Channel, AClockItNeverReachedIsNotAcknowledged) {
  Channel channel = channel_at(0);
  channel.subscribe("s");
  publish(channel, "a");
  for (int64_t clock : {int64_t{2}, int64_t{3}, int64_t{1} << 40, Clock::kMax}) {
    EXPECT_EQ(acknowledge(channel, "s", clock), Ack::Invalid) << clock;
  }
  EXPECT_EQ(clock_of(channel, "s"), 0);
}

TEST(Channel, WhatASubscriptionEarlierAcknowledgedIsBehindTheNewOne) {
  Channel channel = channel_at(0);
  channel.subscribe("s");
  publish(channel, "a");
  channel.unsubscribe("s");
  channel.subscribe("s");
  EXPECT_EQ(acknowledge(channel, "s", 1), Ack::Already);
}

// --- the seam ---

TEST(Channel, TenMessagesAcrossTheSeamAreLikeAnyTen) {
  Channel channel = channel_at(Clock::kMax - 5);
  channel.subscribe("s");
  const int64_t clocks[] = {Clock::kMax - 4, Clock::kMax - 3, Clock::kMax - 2, Clock::kMax - 1, Clock::kMax,
                            Clock::kMin,     Clock::kMin + 1, Clock::kMin + 2, Clock::kMin + 3, Clock::kMin + 4};
  Ids ids;
  for (int64_t clock : clocks) {
    ids.push_back("id " + std::to_string(clock));
    EXPECT_EQ(publish(channel, ids.back()), clock);
  }
  for (const std::string& id : ids) EXPECT_EQ(publish(channel, id), std::nullopt);
  EXPECT_EQ(fetched(channel, "s"), ids);
  // A fetch that starts before the seam and ends behind it.
  EXPECT_EQ(fetched(channel, "s", 7), Ids(ids.begin(), ids.begin() + 7));
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(acknowledge(channel, "s", clocks[i]), Ack::Advanced) << clocks[i];
    EXPECT_EQ(acknowledge(channel, "s", clocks[i]), Ack::Already);
    if (i > 0) {
      EXPECT_EQ(acknowledge(channel, "s", clocks[i - 1]), Ack::Already);
    }
    EXPECT_EQ(clock_of(channel, "s"), clocks[i]);
    EXPECT_EQ(fetched(channel, "s"), Ids(ids.begin() + static_cast<ptrdiff_t>(i) + 1, ids.end()));
  }
  EXPECT_EQ(acknowledge(channel, "s", Clock::kMin + 5), Ack::Invalid);
  EXPECT_EQ(acknowledge(channel, "s", Clock::kMax - 5), Ack::Already) << "the clock of its birth";
}

TEST(Channel, ASubscriberThatStartsAtTheSeamGetsTheMessagesBehindIt) {
  Channel channel = channel_at(Clock::kMax - 1);
  publish(channel, "last");
  channel.subscribe("s");
  EXPECT_EQ(clock_of(channel, "s"), Clock::kMax);
  publish(channel, "first");
  EXPECT_EQ(fetched(channel, "s"), Ids{"first"});
  EXPECT_EQ(acknowledge(channel, "s", Clock::kMin), Ack::Advanced);
  EXPECT_EQ(clock_of(channel, "s"), Clock::kMin);
}

// --- room ---

TEST(Channel, HasNoRoomBehindTheLastOffset) {
  Channel channel = channel_at(0);
  SavedHead head;
  head.first = head.next = head.evicted_end = kMaxOffset - 2;
  head.clock = UnixMs(kNow);
  ASSERT_TRUE(channel.restore_log_head(head));
  EXPECT_EQ(channel.room(), 2u);
  publish(channel, "a");
  publish(channel, "b");
  EXPECT_EQ(channel.room(), 0u);
}

TEST(Channel, HasRoomForAsManyMessagesAsItsIndexCanTellApart) {
  Channel channel = channel_at(0);
  EXPECT_EQ(channel.room(), UINT32_MAX);
  publish(channel, "a");
  EXPECT_EQ(channel.room(), UINT32_MAX - 1);
  channel.tick(UnixMs(kNow + 5000));
  EXPECT_EQ(channel.room(), UINT32_MAX) << "what has expired makes room";
}

// --- as a value ---

TEST(Channel, ACloneStandsOnItsOwn) {
  Channel channel = channel_at(7);
  channel.subscribe("s");
  publish(channel, "a");
  publish(channel, "b");
  Channel copy = channel.clone();
  channel.unsubscribe("s");
  channel.tick(UnixMs(kNow + 5000));
  EXPECT_EQ(copy.clock(), Clock(9));
  EXPECT_EQ(copy.now(), UnixMs(kNow));
  EXPECT_EQ(fetched(copy, "s"), (Ids{"a", "b"}));
  EXPECT_EQ(publish(copy, "a"), std::nullopt);
  EXPECT_EQ(publish(copy, "c"), 10);
  EXPECT_EQ(acknowledge(copy, "s", 9), Ack::Advanced);
}

TEST(Channel, ItsMemoryIsThatOfItsParts) {
  Channel channel = channel_at(0);
  const uint64_t empty = channel.memory();
  EXPECT_GE(empty, sizeof(Channel));
  for (int i = 0; i < 1000; ++i) channel.subscribe("subscriber " + std::to_string(i));
  const uint64_t with_subscribers = channel.memory();
  EXPECT_GE(with_subscribers, empty + 1000 * sizeof(Subscriber));
  for (int i = 0; i < 1000; ++i) channel.publish("id " + std::to_string(i), std::string(100, 'x'), {});
  EXPECT_GE(channel.memory(), with_subscribers + 1000 * 100);
  EXPECT_LE(channel.memory(), with_subscribers + 1000 * 160);
}

}  // namespace
}  // namespace millrace
