// The answers, refusals and consequences of operations on channels. tests/model/channel_replication_test.cc tests that
// a follower ends with the same channel.
#include "engine/channel/channel_operations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/blocks/blocks_codec.h"
#include "engine/channel/channel_effects.h"
#include "engine/waiting/waiting_room.h"

namespace millrace {
namespace {

constexpr uint64_t kNow = 1'000'000;

class Given final : public FetchSink {
 public:
  std::vector<std::string> ids;
  std::optional<std::string> receipt;
  bool more = false;

 private:
  void begin(uint64_t count) override { ids.reserve(count); }
  void message(const Message& message) override { ids.emplace_back(message.tag); }
  void end(std::optional<ByteView> given, bool has_more) override {
    if (given) receipt = std::string(*given);
    more = has_more;
  }
};

struct WaitingFetch : Waiter {};

class ChannelOperationsTest : public ::testing::Test {
 protected:
  Call at(uint64_t date, bool may_wait = false) const {
    Call call{.now = {}, .decides = true, .may_wait = may_wait};
    call.now.wall = UnixMs(date);
    return call;
  }
  Call repeating() const { return {.now = {}, .decides = false, .may_wait = false}; }

  Outcome<std::optional<Clock>> publish(ByteView id, uint64_t date = kNow) {
    const ByteView pair[] = {id, "content"};
    return operations.publish(place, {pair}, at(date));
  }
  void subscribe(ByteView name, std::optional<uint64_t> expire_ms = {}, uint64_t date = kNow) {
    ASSERT_TRUE(operations.subscribe(place, {name, expire_ms}, at(date), nullptr).answer);
  }
  Outcome<Done> fetch(ByteView name, const Call& call) {
    FetchRequest request;
    request.subscriber = name;
    return operations.fetch(place, request, call, given);
  }

  // The effects, one word each; a repeated request is "request".
  static std::vector<std::string> told(const Consequences& follow) {
    std::vector<std::string> words;
    follow.effects.each([&] { words.emplace_back("request"); },
                        [&](const Effect& effect) { words.push_back(std::string(effect.name) + " " + effect.bytes); });
    return words;
  }
  static std::string clock(uint64_t date) { return "CLOCK " + std::to_string(date); }

  // The next publication gets the last offset but one.
  void use_up_offsets() {
    ASSERT_TRUE(operations.create(place, {}, at(kNow)).answer);
    SavedHead head;
    head.first = head.evicted_end = head.next = kMaxOffset - 2;
    head.clock = UnixMs(kNow);
    ASSERT_TRUE(place.get()->restore_log_head(head));
  }

  ChannelLimits limits;
  ChannelOperations operations{[](HashKey& secret) { secret.fill(7); }, limits};
  OwnPlace<Channel> place{"ch"};
  Given given;
};

using Words = std::vector<std::string>;

// --- what is refused ---

TEST_F(ChannelOperationsTest, WhatIsRefusedChangesNothing) {
  subscribe("s");
  const auto refused = [&](const auto& outcome, ErrorCode code, const char* text) {
    ASSERT_FALSE(outcome.answer);
    EXPECT_EQ(outcome.answer.error().code, code);
    EXPECT_EQ(outcome.answer.error().text, text);
    EXPECT_TRUE(outcome.consequences.effects.empty());
    EXPECT_TRUE(outcome.consequences.events.empty());
    EXPECT_EQ(place.get()->now(), UnixMs(kNow));
  };
  constexpr const char* kNobody = "no subscriber 'nobody' of the channel 'ch'";
  refused(operations.create(place, {}, at(kNow + 5)), ErrorCode::Exists, "the channel exists already");
  refused(fetch("nobody", at(kNow + 5)), ErrorCode::NoSubscriber, kNobody);
  refused(operations.acknowledge(place, {"nobody", "0.0.0"}, at(kNow + 5)), ErrorCode::NoSubscriber, kNobody);
  refused(operations.acknowledge(place, {"s", "0.0.0"}, at(kNow + 5)), ErrorCode::BadReceipt,
          "the receipt was not issued for what this channel holds and this subscriber, or was altered");
  EXPECT_EQ(ChannelOperations::find_channel(nullptr, "ch").error().text, "no channel 'ch'");
  EXPECT_EQ(ChannelOperations::find_subscriber(place.get(), "ch", "nobody", UnixMs(kNow)).error().text, kNobody);
}

TEST_F(ChannelOperationsTest, AMissingChannelHasNoSubscribers) {
  EXPECT_EQ(fetch("s", at(kNow)).answer.error().code, ErrorCode::NoSubscriber);
  EXPECT_EQ(operations.acknowledge(place, {"s", "x"}, at(kNow)).answer.error().code, ErrorCode::NoSubscriber);
  EXPECT_FALSE(*operations.unsubscribe(place, "s", at(kNow)).answer);
  EXPECT_EQ(place.get(), nullptr);
}

TEST_F(ChannelOperationsTest, ARepeatedRequestMakesNoChannel) {
  const ByteView pair[] = {"a", "content"};
  EXPECT_EQ(operations.publish(place, {pair}, repeating()).answer.error().code, ErrorCode::Corrupt);
  EXPECT_EQ(operations.subscribe(place, {"s", {}}, repeating(), nullptr).answer.error().code, ErrorCode::Corrupt);
  ChannelEffect touch;
  touch.kind = ChannelEffect::Kind::Touch;
  touch.bytes = "s";
  EXPECT_EQ(operations.apply(place, touch, repeating()).answer.error().code, ErrorCode::Corrupt);
  EXPECT_EQ(place.get(), nullptr);
}

// --- a channel that is full ---

TEST_F(ChannelOperationsTest, AFullChannelAnswersADuplicateAndRefusesWhatIsNew) {
  use_up_offsets();
  EXPECT_TRUE(*publish("a").answer);
  EXPECT_TRUE(*publish("b").answer);
  ASSERT_EQ(place.get()->room(), 0u);
  EXPECT_EQ(*publish("a").answer, std::nullopt) << "a duplicate needs no room";
  EXPECT_EQ(publish("c").answer.error().code, ErrorCode::Full);
  EXPECT_EQ(operations.counters().duplicates, 1u);
}

TEST_F(ChannelOperationsTest, OnlyNewMessagesOfARequestNeedRoomAndAllFitOrNone) {
  use_up_offsets();
  EXPECT_TRUE(*publish("a").answer);
  const ByteView two_new[] = {"a", "1", "b", "2", "c", "3"};
  const auto refused = operations.publish_several(place, {two_new}, at(kNow + 1));
  ASSERT_FALSE(refused.answer);
  EXPECT_EQ(refused.answer.error().code, ErrorCode::Full);
  EXPECT_EQ(place.get()->now(), UnixMs(kNow));
  const ByteView one_new[] = {"a", "1", "b", "2", "b", "3"};
  const auto taken = operations.publish_several(place, {one_new}, at(kNow + 1));
  ASSERT_TRUE(taken.answer);
  EXPECT_FALSE((*taken.answer)[0]);
  EXPECT_TRUE((*taken.answer)[1]);
  EXPECT_FALSE((*taken.answer)[2]) << "the same id twice";
}

TEST_F(ChannelOperationsTest, AnExpiredIdIsNewEvenBeforeTheClockHasMoved) {
  use_up_offsets();
  EXPECT_TRUE(*publish("a").answer);
  EXPECT_TRUE(*publish("b").answer);
  const uint64_t later = kNow + limits.expire_ms;
  EXPECT_EQ(*publish("a", later).answer, std::nullopt);
  EXPECT_EQ(publish("a", later + 1).answer.error().code, ErrorCode::Full);
}

// --- effects, and when the channel expires ---

TEST_F(ChannelOperationsTest, TheEffectOfANewChannelHasItsExpiry) {
  limits.expire_ms = 100;
  const auto published = publish("a");
  const Words words = told(published.consequences);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_TRUE(words[0].starts_with("CREATED "));
  EXPECT_EQ(words[1], "PEXPIREAT " + std::to_string(kNow + 100));
  EXPECT_EQ(words[2], "request");
  EXPECT_EQ(published.consequences.expires_at, UnixMs(kNow + 100));
}

TEST_F(ChannelOperationsTest, OnlyActivityMovesTheExpiry) {
  subscribe("s", 100);
  EXPECT_EQ(publish("a", kNow + 1).consequences.expires_at, UnixMs(kNow + 101));
  EXPECT_EQ(fetch("s", at(kNow + 2)).consequences.expires_at, UnixMs(kNow + 102));
  const auto duplicate = publish("a", kNow + 3);
  EXPECT_EQ(duplicate.consequences.expires_at, std::nullopt);
  EXPECT_EQ(told(duplicate.consequences), Words{clock(kNow + 3)});
  const auto acknowledged = operations.acknowledge(place, {"s", *given.receipt}, at(kNow + 4));
  EXPECT_TRUE(*acknowledged.answer);
  EXPECT_EQ(acknowledged.consequences.expires_at, UnixMs(kNow + 104));
  EXPECT_EQ(told(acknowledged.consequences), (Words{clock(kNow + 4), "request"}));
  EXPECT_EQ(operations.unsubscribe(place, "s", at(kNow + 5)).consequences.expires_at, std::nullopt);
}

// --- fetches that wait ---

TEST_F(ChannelOperationsTest, AFetchThatFindsNothingWaitsForTheNextPublication) {
  subscribe("s", 90);
  FetchRequest request;
  request.subscriber = "s";
  const auto waits = operations.fetch(place, request, at(kNow + 1, true), given);
  ASSERT_TRUE(waits.consequences.wait);
  EXPECT_EQ(waits.consequences.wait->line, "s");
  EXPECT_EQ(waits.consequences.wait->mark, 1u);
  EXPECT_EQ(waits.consequences.due, UnixMs(kNow + 31));
  EXPECT_EQ(told(waits.consequences), (Words{clock(kNow + 1), "TOUCH s"}));
  EXPECT_TRUE(waits.consequences.events.empty());

  EXPECT_EQ(publish("a", kNow + 2).consequences.wake.mark, 2u);
  const auto served = operations.fetch(place, request, at(kNow + 2, true), given);
  EXPECT_FALSE(served.consequences.wait);
  EXPECT_EQ(given.ids, Words{"a"});
  EXPECT_EQ(told(served.consequences), Words{"TOUCH s"});
}

TEST_F(ChannelOperationsTest, AnUnsubscriptionWakesTheLineOfTheSubscriber) {
  subscribe("s");
  const auto gone = operations.unsubscribe(place, "s", at(kNow));
  EXPECT_TRUE(*gone.answer);
  EXPECT_EQ(gone.consequences.wake.lines, Wake::Lines::One);
  EXPECT_EQ(gone.consequences.wake.line, "s");
  EXPECT_EQ(gone.consequences.wake.mark, 0u) << "nobody else";
}

TEST_F(ChannelOperationsTest, SubscribersThatWaitAreShownAThirdOfTheirExpiryLater) {
  subscribe("a", 90);
  subscribe("b");
  WaitingLines lines;
  WaitingFetch first, second;
  lines.add(first, {.line = "a", .mark = 1, .seen = kNow}, 1, kNoDeadline);
  lines.add(second, {.line = "b", .mark = 1, .seen = kNow + 10}, 2, kNoDeadline);
  Consequences follow = operations.look_after(place, &lines, at(kNow + 29));
  EXPECT_TRUE(follow.effects.empty());
  EXPECT_EQ(follow.due, UnixMs(kNow + 30));
  follow = operations.look_after(place, &lines, at(kNow + 30));
  EXPECT_EQ(told(follow), (Words{clock(kNow + 30), "TOUCH a"}));
  EXPECT_EQ(follow.due, UnixMs(kNow + 40));
  EXPECT_EQ(follow.expires_at, UnixMs(kNow + 120));
  EXPECT_TRUE(follow.wake.is_nobody());
  follow = operations.look_after(place, nullptr, at(kNow + 1000));
  EXPECT_TRUE(follow.effects.empty());
  EXPECT_EQ(follow.due, std::nullopt);
}

TEST_F(ChannelOperationsTest, SubscribersThatExpiredWhileTheyWaitedAreWoken) {
  subscribe("a", 90);
  WaitingLines lines;
  WaitingFetch waits;
  lines.add(waits, {.line = "a", .mark = 1, .seen = kNow}, 1, kNoDeadline);
  const Consequences follow = operations.look_after(place, &lines, at(kNow + 91));
  EXPECT_EQ(told(follow), Words{clock(kNow + 91)});
  EXPECT_EQ(follow.wake.mark, UINT64_MAX);
}

TEST_F(ChannelOperationsTest, AShorterExpiryFirstShowsThoseThatWait) {
  subscribe("a", 1000);
  subscribe("idle");
  WaitingLines lines;
  WaitingFetch waits;
  lines.add(waits, {.line = "a", .mark = 1, .seen = kNow}, 1, kNoDeadline);
  const auto done = operations.subscribe(place, {"new", 90}, at(kNow + 500), &lines);
  EXPECT_EQ(told(done.consequences), (Words{clock(kNow + 500), "TOUCH a", "request"}));
  EXPECT_EQ(done.consequences.due, UnixMs(kNow + 530));
  EXPECT_NE(place.get()->alive("a", UnixMs(kNow + 500)), nullptr);
  EXPECT_EQ(place.get()->alive("idle", UnixMs(kNow + 500)), nullptr);
}

}  // namespace
}  // namespace millrace
