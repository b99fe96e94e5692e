// Operations on a pool: what they refuse, their effects for replicas, which clients they wake, and when the pool must
// be visited again. tests/model/pool_replication_test.cc has random histories.
#include "engine/shard/pool_operations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/limits.h"
#include "engine/waiting/waiting_room.h"
#include "tests/model/pool_bytes.h"
#include "tests/model/pool_requests.h"

namespace millrace {
namespace {

using testing::PayloadText;

class OneWaiter final : public Waiter {};

// A log that takes dead payloads, or takes none.
class OneDeadLog final : public DeadPayloadLogs {
 public:
  Result<void> may_write(const Place<Pool>&, ByteView) override { return {}; }
  bool write(const Place<Pool>&, ByteView, ByteView, ByteView) override {
    ++asked;
    return is_open;
  }

  bool is_open = true;
  int asked = 0;
};

// Operations on one pool, at a time that the test sets.
class PoolOperationsTest : public ::testing::Test, private PoolWaiters {
 protected:
  PoolOperationsTest() : pools(HashKey{}, *this, limits, &dead_log) { set_time(10); }

  // Both clocks; there was no time in which the pool could not be reached.
  void set_time(uint64_t ms) {
    call.now.served = MonotonicMs(ms);
    call.now.monotonic = MonotonicMs(1000 + ms);
  }

  template <class Answer>
  Answer get(Outcome<Answer>&& outcome) {
    EXPECT_TRUE(outcome.answer) << outcome.answer.error().text;
    follow = std::move(outcome.consequences);
    return *outcome.answer;
  }
  template <class Answer>
  void expect_refusal(Outcome<Answer>&& outcome, ErrorCode code) {
    ASSERT_FALSE(outcome.answer);
    EXPECT_EQ(outcome.answer.error().code, code) << outcome.answer.error().text;
    EXPECT_TRUE(outcome.consequences.effects.empty());
    EXPECT_FALSE(outcome.consequences.wait);
  }

  void join(ByteView worker) { get(pools.join(place, worker, call)); }
  Sent push(ByteView recipient, ByteView payload) {
    const ByteView payloads[] = {payload};
    RouteRequest request{recipient, payloads, std::nullopt};
    return get(pools.push(place, request, call));
  }
  Sent route(ByteView recipient) {
    RouteRequest request{recipient, {}, std::nullopt};
    return get(pools.route(place, request, call));
  }
  std::string pull(ByteView worker) {
    PullRequest request{worker, 9, std::nullopt};
    PayloadText given;
    get(pools.pull(place, request, call, given));
    return given.text;
  }
  // A request of the worker waits.
  void wait_as(ByteView worker) {
    call.may_wait = true;
    PullRequest request{worker, 9, 0};
    PayloadText given;
    get(pools.pull(place, request, call, given));
    ASSERT_TRUE(follow.wait);
    room.add(0, waiter, *follow.wait);
  }
  void look_after() { follow = pools.look_after(place, call); }

  // The effects, in order.
  std::vector<std::string> told() const {
    std::vector<std::string> all;
    follow.effects.each(
        [&] { all.emplace_back("request"); },
        [&](const Effect& effect) {
          all.push_back(effect.kind == Effect::Kind::Word ? effect.name : effect.name + (" " + effect.bytes));
        });
    return all;
  }
  using Told = std::vector<std::string>;

  BlockLimits limits;
  OneDeadLog dead_log;
  PoolOperations pools;
  OwnPlace<Pool> place{"pool"};
  Call call{.now = {.wall = {}, .monotonic = {}, .clock_id = 0, .served = {}, .served_period = 1},
            .decides = true,
            .may_wait = false};
  Consequences follow;
  mutable WaitingRoom<int> room;
  OneWaiter waiter;

 private:
  const WaitingLines* find(const Place<Pool>&) const override { return room.find(0); }
};

// --- what is refused ---

TEST_F(PoolOperationsTest, AWorkerThatHasNotJoinedIsRefusedAndMakesNoPool) {
  for (const bool is_there : {false, true}) {
    if (is_there) join("another");
    PullRequest request{"w", 1, 0};
    PayloadText given;
    expect_refusal(pools.heartbeat(place, "w", call), ErrorCode::NoWorker);
    expect_refusal(pools.leave(place, {"w", true}, call), ErrorCode::NoWorker);
    expect_refusal(pools.pull(place, request, call, given), ErrorCode::NoWorker);
    expect_refusal(pools.acknowledge(place, {"w", "r", Offset(1)}, call), ErrorCode::NoWorker);
    expect_refusal(pools.done(place, {"w", "r", 1}, call), ErrorCode::NoWorker);
    EXPECT_FALSE(PoolOperations::find_worker(place.get(), "w"));
    EXPECT_EQ(given.text, "");
    EXPECT_EQ(place.get() != nullptr, is_there);
  }
}

TEST_F(PoolOperationsTest, AWorkerThatIsLeavingCannotPull) {
  join("w");
  route("r");
  get(pools.leave(place, {"w", false}, call));
  PullRequest request{"w", 1, 0};
  PayloadText given;
  expect_refusal(pools.pull(place, request, call, given), ErrorCode::NoWorker);
  EXPECT_EQ(get(pools.done(place, {"w", "r", 1}, call)), 0u);
}

TEST_F(PoolOperationsTest, AFullPoolRefusesWorkersButNotOneThatIsThere) {
  Pool& pool = place.put(Pool(HashKey{}));
  for (size_t i = 0; i < Pool::kMaxWorkers; ++i) pool.join(std::to_string(i));
  expect_refusal(pools.join(place, "one more", call), ErrorCode::Full);
  EXPECT_EQ(get(pools.join(place, "7", call)), Pool::kMaxWorkers);
}

TEST_F(PoolOperationsTest, WhatAnotherOwnsOrWasNotGivenOutIsRefusedBeforeTimeMoves) {
  join("w");
  join("other");
  push("r", "payload");
  set_time(20);
  expect_refusal(pools.acknowledge(place, {"other", "r", Offset(1)}, call), ErrorCode::NotOwner);
  expect_refusal(pools.acknowledge(place, {"w", "r", Offset(1)}, call), ErrorCode::Range);
  expect_refusal(pools.done(place, {"other", "r", 1}, call), ErrorCode::NotOwner);
  expect_refusal(pools.done(place, {"w", "r", 1}, call), ErrorCode::Range);
  EXPECT_EQ(place.get()->now(), PoolTime(0));
}

TEST_F(PoolOperationsTest, APushThatIsTooMuchForItsRecipientIsRefusedBeforeTimeMoves) {
  join("w");
  get(pools.set(place, {.stale_ms = {}, .policy = {}, .recipient_max = 1}, call));
  push("r", "payload");
  set_time(20);
  const ByteView two[] = {"a", "b"};
  for (const ByteView recipient : {"r", "new"}) {
    RouteRequest request{recipient, two, std::nullopt};
    expect_refusal(pools.push(place, request, call), ErrorCode::Refused);
  }
  EXPECT_EQ(place.get()->now(), PoolTime(0));
  EXPECT_EQ(place.get()->owner("new"), std::nullopt);
}

TEST_F(PoolOperationsTest, APushThatIsSentAgainIsNotCountedAgain) {
  join("w");
  const ByteView two[] = {"a", "b"};
  for (int i = 0; i < 3; ++i) {
    RouteRequest request{"r", two, std::nullopt, "id"};
    EXPECT_EQ(get(pools.push(place, request, call)).pending, 2u);
  }
  EXPECT_EQ(pools.totals().pushed, 2u);
}

TEST_F(PoolOperationsTest, WithoutWorkersSendersAreRefusedOrWaitInALineOfTheirOwn) {
  RouteRequest request{"r", {}, std::nullopt};
  for (const bool is_there : {false, true}) {
    if (is_there) get(pools.set(place, {5, std::nullopt}, call));
    request.block_ms.reset();
    call.may_wait = true;
    expect_refusal(pools.route(place, request, call), ErrorCode::NoWorkers);
    request.block_ms = 0;
    call.may_wait = false;
    expect_refusal(pools.route(place, request, call), ErrorCode::NoWorkers);
    call.may_wait = true;
    const auto waits = pools.route(place, request, call);
    ASSERT_TRUE(waits.consequences.wait);
    EXPECT_EQ(waits.consequences.wait->line, kSendersLine);
    EXPECT_TRUE(waits.consequences.effects.empty());
    EXPECT_EQ(place.get() != nullptr, is_there);
  }
}

TEST_F(PoolOperationsTest, AnEffectBelongsToAPoolThatIsThereUnlessItIsAPart) {
  using Kind = PoolEffect::Kind;
  for (const Kind kind : {Kind::Clock, Kind::Seen, Kind::Settle}) {
    expect_refusal(pools.apply(place, {.kind = kind, .clock = {}, .bytes = {}, .part = {}}, call), ErrorCode::Corrupt);
  }
  const PoolEffect damaged{.kind = Kind::Part, .clock = {}, .bytes = {}, .part = {0, "damaged", {}}};
  expect_refusal(pools.apply(place, damaged, call), ErrorCode::Corrupt);
  EXPECT_EQ(place.get(), nullptr);
  // As 1.0.0 could write it.
  call.decides = false;
  get(pools.apply(place, {.kind = Kind::Clock, .clock = PoolTime(7), .bytes = {}, .part = {}}, call));
  EXPECT_EQ(place.get()->now(), PoolTime(7));
}

// --- time, and effects ---

TEST_F(PoolOperationsTest, TheFirstEffectOfAPoolIsTheRequestThatMakesItAndTimeIsAnEffectOnceAMillisecond) {
  join("w");
  EXPECT_EQ(told(), Told{"request"});
  set_time(15);
  route("r");
  EXPECT_EQ(told(), (Told{"CLOCK 5", "request"}));
  route("r");
  EXPECT_EQ(told(), Told{"request"});
}

TEST_F(PoolOperationsTest, TimeGoesOnFromWhereItStoodWhenAnotherPeriodBegins) {
  join("w");
  set_time(60);
  route("r");
  call.now.served_period = 2;
  set_time(100'000);
  route("r");
  EXPECT_EQ(told(), Told{"request"}) << "the time in which another had the pool does not count";
  set_time(100'003);
  EXPECT_EQ(PoolOperations::present(*place.get(), call), PoolTime(53));
  route("r");
  EXPECT_EQ(told(), (Told{"CLOCK 53", "request"}));
}

TEST_F(PoolOperationsTest, AnEngineThatRepeatsHasTheTimeOfTheEffectsAndVisitsThePoolAsSoonAsItDecides) {
  call.decides = false;
  join("w");
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(0));
  set_time(500);
  route("r");
  EXPECT_EQ(told(), Told{"request"});
  EXPECT_EQ(PoolOperations::present(*place.get(), call), PoolTime(0));
}

TEST_F(PoolOperationsTest, ARebalanceThatMovesNothingHasNoEffect) {
  EXPECT_EQ(get(pools.rebalance(place, 10, call)), 0u);
  join("w");
  EXPECT_EQ(get(pools.rebalance(place, 10, call)), 0u);
  EXPECT_TRUE(told().empty());
}

// --- which requests are woken ---

TEST_F(PoolOperationsTest, APushWakesTheLineOfItsWorkerANewWorkerThatOfTheSendersAndGoingWakesAll) {
  join("w");
  EXPECT_EQ(follow.wake.lines, Wake::Lines::One);
  EXPECT_EQ(follow.wake.line, kSendersLine);
  EXPECT_EQ(push("r", "payload").worker, "w");
  EXPECT_EQ(follow.wake.lines, Wake::Lines::One);
  EXPECT_EQ(follow.wake.line, "w");
  route("r");
  EXPECT_TRUE(follow.wake.is_nobody());
  EXPECT_EQ(pull("w"), "[ r 1 payload ] 1");
  EXPECT_TRUE(follow.wake.is_nobody());
  get(pools.leave(place, {"w", true}, call));
  EXPECT_EQ(follow.wake.lines, Wake::Lines::All);
}

TEST_F(PoolOperationsTest, AWorkerThatStartsAgainWakesItsOwnLineAndAllIfItMayHaveBeenTheOnlyOne) {
  join("w");
  join("w");
  EXPECT_EQ(follow.wake.lines, Wake::Lines::All);
  join("v");
  join("u");
  join("w");
  EXPECT_EQ(follow.wake.lines, Wake::Lines::One);
  EXPECT_EQ(follow.wake.line, "w");
}

// --- workers that wait, and dates ---

TEST_F(PoolOperationsTest, AmongManyAWorkerThatJoinsIsLookedAtAlone) {
  get(pools.set(place, {300, std::nullopt}, call));
  for (int i = 0; i < 100; ++i) join("worker " + std::to_string(i));
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1010 + 3001)) << "it goes if it never shows itself";
  set_time(50);
  join("worker 7");
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1050 + 3001));
}

TEST_F(PoolOperationsTest, AmongManyThatAreStaleAWorkerThatJoinsTakesOver) {
  get(pools.set(place, {300, std::nullopt}, call));
  for (int i = 0; i < 100; ++i) join("worker " + std::to_string(i));
  push("r", "payload");
  for (int i = 0; i < 100; ++i) get(pools.heartbeat(place, "worker " + std::to_string(i), call));
  set_time(400);
  join("heir");
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1401)) << "all are looked at in a turn of its own";
  set_time(401);
  look_after();
  EXPECT_EQ(follow.wake.lines, Wake::Lines::All);
  EXPECT_EQ(pull("heir"), "[ r 1 payload ] 1");
}

TEST_F(PoolOperationsTest, DeadPayloadsOfAnIdlePoolAreWrittenWhenTheirLogTakesThemAgain) {
  join("w");
  get(pools.set(place, {.stale_ms = kMaxDurationMs, .policy = {}, .dead_log = "dead"}, call));
  push("r", "payload");
  pull("w");
  dead_log.is_open = false;
  set_time(20);
  get(pools.give_back(place, {.worker = "w", .recipient = "r", .sequence = Offset(1), .dead = "why"}, call));
  EXPECT_EQ(dead_log.asked, 1);
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1020 + 60'000));
  set_time(30'000);
  look_after();
  EXPECT_EQ(dead_log.asked, 1) << "it is not asked all the time";
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1020 + 60'000));
  dead_log.is_open = true;
  set_time(60'020);
  look_after();
  EXPECT_EQ(dead_log.asked, 2);
  EXPECT_EQ(told(), Told{"LETTERS 1"});
  EXPECT_TRUE(place.get()->dead_payloads().empty());
}

TEST_F(PoolOperationsTest, AWaitingPullShowsThatItsWorkerIsAliveAndIsNoEffectItself) {
  join("w");
  get(pools.set(place, {300, std::nullopt}, call));
  set_time(15);
  wait_as("w");
  EXPECT_EQ(told(), (Told{"CLOCK 5", "SEEN w"}));
  EXPECT_EQ(follow.wait->line, "w");
  EXPECT_TRUE(follow.events.empty());
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1115)) << "it is shown again after a third of the time";
}

TEST_F(PoolOperationsTest, APullThatIsWokenForNothingChangesNothing) {
  join("w");
  call.may_wait = true;
  PullRequest request{"w", 1, 0};
  PayloadText given;
  get(pools.pull(place, request, call, given));
  set_time(15);
  get(pools.pull(place, request, call, given));
  EXPECT_TRUE(follow.wait);
  EXPECT_TRUE(told().empty());
  push("r", "payload");
  get(pools.pull(place, request, call, given));
  EXPECT_EQ(told(), Told{"request"});
  EXPECT_EQ(given.text, "[ r 1 payload ] 1");
}

TEST_F(PoolOperationsTest, AWorkerThatWaitsIsShownInTimeAndByARequestThatFindsTheLookLate) {
  join("w");
  join("heir");
  get(pools.set(place, {300, std::nullopt}, call));
  EXPECT_EQ(route("r").worker, "w");
  wait_as("w");
  set_time(120);
  look_after();
  EXPECT_EQ(told(), (Told{"CLOCK 110", "SEEN w"}));
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1220));
  set_time(700);
  EXPECT_EQ(route("r").worker, "w");
  EXPECT_EQ(told(), (Told{"CLOCK 690", "SEEN w", "request"}));
}

TEST_F(PoolOperationsTest, AStaleWorkerIsReplacedByALook) {
  join("w");
  join("heir");
  get(pools.set(place, {300, std::nullopt}, call));
  push("r", "payload");
  pull("w");
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1311));
  set_time(311);
  look_after();
  EXPECT_EQ(told(), (Told{"CLOCK 301", "SETTLE"}));
  EXPECT_EQ(follow.wake.lines, Wake::Lines::All);
  EXPECT_EQ(pools.totals().failovers, 1u);
  EXPECT_EQ(pools.totals().moved, 1u);
  EXPECT_EQ(pull("heir"), "[ r 1 payload again, 2 ] 1");
}

TEST_F(PoolOperationsTest, ALookThatComesTooEarlyChangesNothingAndComesBackInTime) {
  join("w");
  join("heir");
  get(pools.set(place, {300, std::nullopt}, call));
  push("r", "payload");
  pull("w");
  set_time(110);
  look_after();
  EXPECT_TRUE(told().empty());
  EXPECT_EQ(follow.due_monotonic, MonotonicMs(1311)) << "counted from the present, not from the last request";
}

}  // namespace
}  // namespace millrace
