// A worker leaves, with and without finishing what it has in flight, and comes back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/shard/pool.h"
#include "tests/model/named_pool.h"

namespace millrace {
namespace {

using testing::failure;
using testing::NamedPool;
using testing::number;
using Names = std::vector<std::string>;
using State = Worker::State;

// w1 owns four: "idle"; "queued", with two payloads; "routed", with one message; "held", with
// two payloads of which it has pulled one. w2 owns nothing.
NamedPool mixed_pool() {
  NamedPool pool({"w1"});
  pool.push("held", {"a", "b"});
  pool.pull("w1", 1);
  pool.route("idle");
  pool.done("w1", "idle");
  pool.route("routed");
  pool.push("queued", {"p", "q"});
  pool.join("w2");
  return pool;
}

TEST(PoolLeave, AWorkerThatOwnsNothingGoesAtOnce) {
  NamedPool pool({"w1", "w2"});
  EXPECT_EQ(pool.leave("w1"), 0u);
  EXPECT_FALSE(pool.has("w1"));
  EXPECT_EQ(pool.leave("w2", true), 0u);
  EXPECT_FALSE(pool.has("w2"));
  EXPECT_EQ(pool.route("ann"), "nobody");
}

TEST(PoolLeave, IdleAndMerelyQueuedRecipientsMoveAtOnce) {
  NamedPool pool = mixed_pool();
  EXPECT_EQ(pool.leave("w1"), 2u);
  EXPECT_EQ(pool.recipients("w2"), (Names{"idle", "queued"}));
  EXPECT_EQ(pool.recipients("w1"), (Names{"held", "routed"}));
  EXPECT_EQ(pool.worker("w1").state, State::Leaving);
  EXPECT_EQ(pool.pull("w2"), (Names{"queued 1 p", "queued 2 q"}));
  EXPECT_EQ(pool.pool.counters().failovers, 0u);
  EXPECT_EQ(pool.leave("w1"), 0u) << "saying it again changes nothing";
}

TEST(PoolLeave, WhatIsInFlightMovesWhenItIsDone) {
  NamedPool pool = mixed_pool();
  pool.leave("w1");
  EXPECT_EQ(pool.done("w1", "routed"), number(0));
  EXPECT_EQ(pool.owner("routed"), "w2");
  EXPECT_EQ(pool.owner("held"), "w1");
  EXPECT_EQ(pool.ack("w1", "held", 1), number(1));
  EXPECT_EQ(pool.owner("held"), "w2");
  EXPECT_FALSE(pool.has("w1")) << "it owns nothing any more";
  EXPECT_EQ(pool.pull("w2", 3), (Names{"queued 1 p", "held 2 b", "queued 2 q"}));
}

TEST(PoolLeave, ALeavingWorkerGetsNothingNew) {
  NamedPool pool = mixed_pool();
  pool.leave("w1");
  EXPECT_EQ(pool.route("new 1"), "w2");
  EXPECT_EQ(pool.route("new 2"), "w2");
  EXPECT_TRUE(pool.pull("w1").empty()) << "not even what waits behind what it holds";
  EXPECT_EQ(pool.push("held", {"c"}), "w1") << "but what is in its hands stays there, and the order with it";
  EXPECT_EQ(pool.ack("w1", "held", 1), number(1));
  EXPECT_EQ(pool.owner("held"), "w2");
}

TEST(PoolLeave, MovesOnlyWhenNothingOfTheRecipientIsInFlight) {
  NamedPool pool = mixed_pool();
  pool.route("held");
  pool.leave("w1");
  EXPECT_EQ(pool.ack("w1", "held", 1), number(1));
  EXPECT_EQ(pool.owner("held"), "w1") << "a routed message of it is not done";
  EXPECT_EQ(pool.done("w1", "held"), number(1));
  EXPECT_EQ(pool.owner("held"), "w2");
}

TEST(PoolLeave, AWorkerThatReleasesItsPayloadsGoesAtOnce) {
  NamedPool pool = mixed_pool();
  EXPECT_EQ(pool.leave("w1", true), 4u);
  EXPECT_FALSE(pool.has("w1"));
  EXPECT_EQ(pool.recipients("w2"), (Names{"held", "idle", "routed", "queued"}));
  EXPECT_EQ(pool.pull("w2", 2), (Names{"held 1 a", "queued 1 p"})) << "what it had pulled is delivered again";
  EXPECT_EQ(pool.done("w2", "routed"), number(0));
}

TEST(PoolLeave, ALeavingWorkerCanStillReleaseItsPayloads) {
  NamedPool pool = mixed_pool();
  pool.leave("w1");
  EXPECT_EQ(pool.leave("w1", true), 2u);
  EXPECT_FALSE(pool.has("w1"));
  EXPECT_EQ(pool.pool.counters().moved, 4u);
}

TEST(PoolLeave, AWorkerThatBecomesStaleWhileLeavingIsDead) {
  NamedPool pool = mixed_pool();
  pool.leave("w1");
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(15'001));
  pool.tick(15'001);
  pool.touch("w2");
  EXPECT_EQ(pool.settle(), 1);
  EXPECT_FALSE(pool.has("w1"));
  EXPECT_EQ(pool.owner("held"), "w2");
  EXPECT_EQ(pool.owner("routed"), "w2");
  EXPECT_EQ(pool.pool.counters().failovers, 1u);
}

TEST(PoolLeave, AWorkerThatNeverShowedThatItIsAliveGoesStaleFromThenOn) {
  NamedPool pool({"w1", "w2"});
  EXPECT_EQ(pool.route("routed"), "w1");
  pool.tick(1'000);
  pool.leave("w1");
  EXPECT_EQ(pool.owner("routed"), "w1");
  pool.tick(16'001);
  EXPECT_EQ(pool.settle(), 1);
  EXPECT_EQ(pool.owner("routed"), "w2");
  EXPECT_FALSE(pool.has("w1"));
}

TEST(PoolLeave, AMessageFailsOverAWorkerThatBecameStaleWhileLeaving) {
  NamedPool pool = mixed_pool();
  pool.leave("w1");
  pool.tick(15'001);
  EXPECT_EQ(pool.route("routed"), "w2");
  EXPECT_EQ(pool.owner("held"), "w2");
}

TEST(PoolLeave, TheLastWorkerKeepsItsRecipientsUntilAnotherJoins) {
  for (const bool lets_go : {false, true}) {
    SCOPED_TRACE(lets_go);
    NamedPool pool({"w1"});
    pool.push("ann", {"a"});
    pool.push("bob", {"b"});
    EXPECT_EQ(pool.leave("w1", lets_go), 0u);
    EXPECT_EQ(pool.owner("ann"), "w1");
    EXPECT_EQ(pool.has("w1"), !lets_go);
    EXPECT_EQ(pool.push("ann", {"c"}), "nobody");
    EXPECT_EQ(pool.pool.next_settle(), std::nullopt);
    EXPECT_EQ(pool.settle(), 1);
    EXPECT_EQ(pool.owner("ann"), "w1");
    pool.join("w2");
    EXPECT_EQ(pool.pool.next_settle(), pool.pool.now());
    EXPECT_EQ(pool.settle(), 1);
    EXPECT_EQ(pool.recipients("w2"), (Names{"ann", "bob"}));
    EXPECT_TRUE(pool.pool.going().empty());
    EXPECT_EQ(pool.pull("w2"), (Names{"ann 1 a", "bob 1 b"}));
  }
}

TEST(PoolLeave, WhatTheLastWorkerFinishesWaitsForAnother) {
  NamedPool pool({"w1"});
  pool.push("ann", {"a"});
  pool.pull("w1");
  pool.route("bob");
  pool.leave("w1");
  EXPECT_EQ(pool.ack("w1", "ann", 1), number(1));
  EXPECT_EQ(pool.owner("ann"), "w1");
  pool.join("w2");
  EXPECT_EQ(pool.pool.next_settle(), pool.pool.now());
  EXPECT_EQ(pool.settle(), 1);
  EXPECT_EQ(pool.owner("ann"), "w2");
  EXPECT_EQ(pool.owner("bob"), "w1");
  EXPECT_EQ(pool.done("w1", "bob"), number(0));
  EXPECT_FALSE(pool.has("w1"));
}

TEST(PoolLeave, AMessageMovesWhatWaitsForAWorker) {
  NamedPool pool({"w1"});
  pool.push("ann", {"a"});
  pool.push("bob", {"b"});
  pool.leave("w1");
  pool.join("w2");
  EXPECT_EQ(pool.push("bob", {"c"}), "w2");
  EXPECT_EQ(pool.owner("ann"), "w1");
  EXPECT_EQ(pool.push("ann", {"d"}), "w2");
  EXPECT_FALSE(pool.has("w1"));
}

TEST(PoolLeave, MoreThanOneSliceIsDrainedInSeveral) {
  Pool pool{HashKey{}};
  const uint64_t many = 2 * Pool::kSlice + 11;
  const WorkerId w1 = pool.join("w1");
  for (uint64_t i = 0; i < many; ++i) EXPECT_TRUE(pool.route("r" + std::to_string(i)));
  for (uint64_t i = 0; i < many; i += 2) EXPECT_TRUE(pool.done(w1, "r" + std::to_string(i), 1));
  pool.join("w2");
  EXPECT_EQ(pool.leave(w1, false), Pool::kSlice / 2) << "it looks at a slice, and moves every other one";
  EXPECT_EQ(pool.check(), nullptr);
  // Recipients with payloads in flight move when these are done, whether they were visited already or not.
  EXPECT_TRUE(pool.done(w1, "r1", 1));
  EXPECT_TRUE(pool.done(w1, "r" + std::to_string(many - 2), 1));
  EXPECT_EQ(pool.counters().moved, Pool::kSlice / 2 + 2);
  EXPECT_TRUE(pool.settle());
  EXPECT_EQ(pool.check(), nullptr);
  EXPECT_EQ(pool.next_settle(), pool.now());
  EXPECT_FALSE(pool.settle());
  EXPECT_EQ(pool.counters().moved, Pool::kSlice + 6 + 2);
  EXPECT_EQ(pool.worker(w1).recipients, Pool::kSlice + 5 - 2);
  EXPECT_EQ(pool.worker(w1).busy, Pool::kSlice + 5 - 2);
  EXPECT_EQ(pool.check(), nullptr);
}

// --- coming back ---

TEST(PoolLeave, AWorkerThatJoinsAgainStartsAgain) {
  NamedPool pool({"w1", "w2"});
  pool.push("ann", {"a", "b", "c"});
  pool.route("bob");
  pool.route("cat");
  EXPECT_EQ(pool.pull("w1", 2), (Names{"ann 1 a", "ann 2 b"}));
  pool.tick(20'000);
  pool.join("w1");
  EXPECT_FALSE(pool.worker("w1").seen) << "it has not shown itself yet";
  EXPECT_EQ(pool.route("cat"), "w1") << "it is not stale any more";
  EXPECT_EQ(pool.ack("w1", "ann", 2), failure(ErrorCode::Range)) << "to this one nothing was delivered";
  EXPECT_EQ(pool.pull("w1"), (Names{"ann 1 a", "ann 2 b", "ann 3 c"}));
  EXPECT_EQ(pool.pool.working().size(), 2u);
  EXPECT_EQ(pool.pool.counters().moved, 0u);
}

TEST(PoolLeave, AWorkerThatJoinsAgainGetsItsRecipientsInTheOrderOfTheirAssignment) {
  NamedPool pool({"w1"});
  for (const char* name : {"ann", "bob", "cat"}) pool.route(name);
  for (const char* name : {"cat", "ann", "bob"}) pool.push(name, {"p"});
  EXPECT_EQ(pool.pull("w1"), (Names{"cat 1 p", "ann 1 p", "bob 1 p"}));
  pool.push("cat", {"q"});
  pool.join("w1");
  EXPECT_EQ(pool.pull("w1"), (Names{"cat 1 p", "ann 1 p", "bob 1 p", "cat 2 q"})) << "cat was in line already";
}

TEST(PoolLeave, AWorkerThatJoinsWhileLeavingStays) {
  NamedPool pool = mixed_pool();
  pool.leave("w1");
  pool.join("w1");
  EXPECT_EQ(pool.worker("w1").state, State::Working);
  EXPECT_EQ(pool.recipients("w1"), (Names{"held", "routed"}));
  EXPECT_EQ(pool.pool.working(), (std::vector{pool.id("w2"), pool.id("w1")})) << "at the end of the line";
  EXPECT_EQ(pool.settle(), 1);
  EXPECT_EQ(pool.pull("w1"), (Names{"held 1 a", "held 2 b"}));
  EXPECT_EQ(pool.ack("w1", "held", 2), number(2));
  EXPECT_EQ(pool.owner("held"), "w1");
}

}  // namespace
}  // namespace millrace
