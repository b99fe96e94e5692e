// A worker dies: its recipients move to living workers, with everything that is pending.
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

constexpr uint64_t kLate = 15'001;
constexpr ErrorCode kNotOwner = ErrorCode::NotOwner;

// w1 [ann, dan], w2 [bob], w3 [cat]; w1 was last seen at 0, and is stale now.
NamedPool late_pool() {
  NamedPool pool({"w1", "w2", "w3"});
  for (const char* recipient : {"ann", "bob", "cat", "dan"}) pool.route(recipient);
  for (const char* recipient : {"ann", "bob", "cat", "dan"}) pool.done(pool.owner(recipient), recipient);
  pool.tick(kLate - 1);
  for (const char* name : {"w2", "w3"}) pool.touch(name);
  return pool;
}

TEST(PoolFailover, MovesAllRecipientsOfAStaleWorkerWithTheirPendingCounts) {
  NamedPool pool = late_pool();
  for (int i = 0; i < 3; ++i) pool.route("ann");
  pool.tick(kLate);
  EXPECT_EQ(pool.route("dan"), "w3") << "the iterator stands at w2, which gets ann, the first of them";
  EXPECT_EQ(pool.owner("ann"), "w2");
  EXPECT_EQ(pool.pending("ann"), 3u);
  EXPECT_EQ(pool.pending("dan"), 1u);
  EXPECT_FALSE(pool.has("w1"));
  EXPECT_EQ(pool.worker("w2").pending, 3u);
  EXPECT_EQ(pool.pool.counters().failovers, 1u);
  EXPECT_EQ(pool.pool.counters().moved, 2u);
  EXPECT_EQ(pool.done("w2", "ann", 3), number(0));
}

TEST(PoolFailover, NotAMillisecondTooEarly) {
  NamedPool pool = late_pool();
  pool.route("ann");
  EXPECT_EQ(pool.route("ann"), "w1");
  EXPECT_EQ(pool.settle(), 1);
  EXPECT_EQ(pool.owner("ann"), "w1");
  pool.tick(kLate);
  EXPECT_EQ(pool.route("ann"), "w2");
}

TEST(PoolFailover, AStaleWorkerWithNothingPendingKeepsItsRecipientsUntilAMessageComes) {
  NamedPool pool = late_pool();
  pool.tick(kLate);
  pool.settle();
  EXPECT_EQ(pool.owner("ann"), "w1");
  EXPECT_EQ(pool.route("ann"), "w2") << "a stale worker is never answered";
  EXPECT_FALSE(pool.has("w1"));
}

TEST(PoolFailover, AWorkerThatIsGoneForLongLeavesThoughNothingIsPending) {
  NamedPool pool = late_pool();
  pool.tick(10 * 15'000);
  for (const char* name : {"w2", "w3"}) pool.touch(name);
  EXPECT_TRUE(pool.has("w1"));
  pool.tick(10 * 15'000 + 1);
  EXPECT_EQ(pool.pool.next_settle(), pool.pool.now());
  pool.settle();
  EXPECT_FALSE(pool.has("w1"));
  EXPECT_EQ(pool.owner("ann"), "w2") << "its recipients go to the living";
  EXPECT_EQ(pool.pool.counters().failovers, 1u);
}

TEST(PoolFailover, AWorkerThatNeverShowedItselfAndOwnsNothingLeavesToo) {
  NamedPool pool({"w1", "w2"});
  pool.route("ann");
  pool.tick(10 * 15'000 + 1);
  pool.settle();
  EXPECT_TRUE(pool.has("w1")) << "something is pending for it";
  EXPECT_FALSE(pool.has("w2"));
}

TEST(PoolFailover, AHundredThousandDeadWorkersDoNotFillAPool) {
  Pool pool{HashKey{}};
  for (size_t i = 0; i < Pool::kMaxWorkers; ++i) pool.touch(pool.join(std::to_string(i)));
  EXPECT_TRUE(pool.is_full("new", pool.now()));
  pool.tick(PoolTime(15'001));
  EXPECT_FALSE(pool.is_full("new", pool.now())) << "none of them lives";
  pool.join("new");
  pool.tick(PoolTime(10 * 15'000 + 1));
  pool.touch(*pool.find_worker("new"));
  int turns = 0;
  while (pool.next_settle() <= pool.now() && ++turns < 1000) pool.settle();
  EXPECT_EQ(pool.working().size(), 1u);
  EXPECT_EQ(turns, 100) << "a thousand at a time";
  EXPECT_STREQ(pool.check(), nullptr);
}

TEST(PoolFailover, AWorkerThatNeverShowedItselfIsNeverDead) {
  NamedPool pool({"w1", "w2"});
  pool.route("ann");
  pool.tick(1'000'000);
  pool.touch("w2");
  pool.settle();
  EXPECT_EQ(pool.route("ann"), "w1");
}

TEST(PoolFailover, AnIdleWorkerOutlivesABurst) {
  NamedPool pool({"w1", "w2"});
  pool.route("ann");
  pool.done("w1", "ann");
  pool.tick(100'000);
  for (int i = 0; i < 100; ++i) pool.push("bob", {"p"});
  pool.touch("w1");
  EXPECT_EQ(pool.route("ann"), "w1");
  EXPECT_EQ(pool.route("ann"), "w1");
  EXPECT_EQ(pool.pool.counters().failovers, 0u);
}

TEST(PoolFailover, TheOnlyWorkerKeepsItsRecipients) {
  NamedPool pool({"w1"});
  pool.push("ann", {"p", "q"});
  pool.pull("w1");
  pool.tick(kLate);
  EXPECT_EQ(pool.settle(), 1);
  EXPECT_EQ(pool.push("ann", {"r"}), "nobody");
  EXPECT_EQ(pool.ack("w1", "ann", 2), number(2)) << "it was only slow";
  EXPECT_EQ(pool.push("ann", {"r"}), "w1");
}

TEST(PoolFailover, WithoutALivingWorkerEverythingStays) {
  NamedPool pool = late_pool();
  pool.route("ann");
  pool.tick(2 * kLate);
  EXPECT_EQ(pool.settle(), 1);
  EXPECT_EQ(pool.owner("ann"), "w1");
  EXPECT_EQ(pool.route("ann"), "nobody");
  pool.touch("w3");
  EXPECT_EQ(pool.route("ann"), "w3") << "w2 is stale as well";
  EXPECT_EQ(pool.owner("dan"), "w3");
}

TEST(PoolFailover, QueuedPayloadsMoveInOrderAndAreDeliveredAgain) {
  NamedPool pool = late_pool();
  pool.push("ann", {"a", "b", "c"});
  EXPECT_EQ(pool.pull("w1", 2), (Names{"ann 1 a", "ann 2 b"}));
  EXPECT_EQ(pool.ack("w1", "ann", 1), number(1));
  pool.tick(2 * kLate);
  for (const char* name : {"w2", "w3"}) pool.touch(name);
  EXPECT_EQ(pool.push("ann", {"d"}), "w2");
  EXPECT_EQ(pool.pull("w2"), (Names{"ann 2 b", "ann 3 c", "ann 4 d"}));
  EXPECT_EQ(pool.ack("w2", "ann", 4), number(3));
}

TEST(PoolFailover, LateWordsOfTheOldWorkerChangeNothing) {
  NamedPool pool = late_pool();
  const WorkerId old = pool.id("w1");
  pool.push("ann", {"a"});
  pool.pull("w1");
  pool.route("dan");
  pool.tick(2 * kLate);
  for (const char* name : {"w2", "w3"}) pool.touch(name);
  pool.settle();
  pool.join("w1");
  EXPECT_EQ(pool.id("w1"), old) << "numbers are used again: the name alone is no proof";
  EXPECT_EQ(pool.done("w1", "dan"), failure(kNotOwner));
  EXPECT_EQ(pool.ack("w1", "ann", 1), failure(kNotOwner));
  EXPECT_EQ(pool.done("w1", "nobody at all"), failure(kNotOwner));
  EXPECT_EQ(pool.pending("ann"), 1u);
  EXPECT_EQ(pool.pending("dan"), 1u);
  EXPECT_FALSE(pool.worker("w1").seen);
  EXPECT_TRUE(pool.pull("w1").empty());
  EXPECT_EQ(pool.pull("w2"), (Names{"ann 1 a"}));
}

TEST(PoolFailover, ComesByItselfWithoutAMessage) {
  NamedPool pool = late_pool();
  pool.push("ann", {"a"});
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(kLate));
  pool.tick(kLate);
  EXPECT_EQ(pool.settle(), 1);
  EXPECT_EQ(pool.owner("ann"), "w2");
  EXPECT_EQ(pool.owner("dan"), "w3");
  EXPECT_FALSE(pool.has("w1"));
}

TEST(PoolFailover, SeveralWorkersDieAtOnce) {
  NamedPool pool = late_pool();
  pool.push("ann", {"a"});
  pool.push("bob", {"b"});
  pool.tick(2 * kLate);
  pool.touch("w3");
  pool.settle();
  EXPECT_EQ(pool.pool.working().size(), 1u);
  EXPECT_EQ(pool.pool.counters().failovers, 2u);
  EXPECT_EQ(pool.recipients("w3"), (Names{"cat", "ann", "dan", "bob"}));
  EXPECT_EQ(pool.pull("w3"), (Names{"ann 1 a", "bob 1 b"}));
}

// --- more recipients than one slice ---

constexpr uint64_t kMany = 2 * Pool::kSlice + 500;

std::string recipient(uint64_t i) { return "r" + std::to_string(i); }

// w1 owns kMany recipients, each with a payload that it has pulled, and is stale; w2 lives.
// Checking such a pool takes a while, so it is not done after every step.
Pool large_pool() {
  Pool pool{HashKey{}};
  const WorkerId w1 = pool.join("w1");
  const ByteView payloads[] = {"p"};
  for (uint64_t i = 0; i < kMany; ++i) EXPECT_TRUE(pool.push(recipient(i), payloads, {}));
  Pool::PulledPayload pulled;
  while (pool.deliver(w1, pulled)) {
  }
  pool.touch(w1);
  pool.join("w2");
  pool.tick(PoolTime(kLate));
  EXPECT_EQ(pool.check(), nullptr);
  return pool;
}

TEST(PoolFailover, IsDoneInSlicesPastABound) {
  Pool pool = large_pool();
  EXPECT_EQ(pool.next_settle(), PoolTime(kLate));
  EXPECT_TRUE(pool.settle());
  EXPECT_EQ(pool.counters().moved, Pool::kSlice);
  EXPECT_EQ(pool.check(), nullptr);
  EXPECT_FALSE(pool.find_worker("w1")) << "it is nobody any more";
  EXPECT_EQ(pool.next_settle(), PoolTime(kLate));
  EXPECT_TRUE(pool.settle());
  EXPECT_FALSE(pool.settle());
  EXPECT_EQ(pool.counters().moved, kMany);
  EXPECT_EQ(pool.counters().failovers, 1u);
  EXPECT_TRUE(pool.going().empty());
  EXPECT_EQ(pool.check(), nullptr);
  Pool::PulledPayload pulled;
  for (uint64_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(pool.deliver(*pool.find_worker("w2"), pulled));
    ASSERT_EQ(pulled.recipient, recipient(i)) << "in their old order";
  }
}

TEST(PoolFailover, AMessageForOneThatWaitsToBeMovedDoesNotWait) {
  Pool pool = large_pool();
  const std::string last = recipient(kMany - 1);
  const auto routed = pool.route(last);
  ASSERT_TRUE(routed);
  EXPECT_EQ(pool.worker(routed->worker).name, "w2");
  EXPECT_EQ(routed->pending, 2u);
  EXPECT_EQ(pool.counters().moved, Pool::kSlice + 1);
  EXPECT_EQ(pool.check(), nullptr);
  EXPECT_TRUE(pool.settle());
  EXPECT_FALSE(pool.settle());
  EXPECT_EQ(pool.counters().moved, kMany);
  EXPECT_EQ(pool.check(), nullptr);
}

TEST(PoolFailover, ADeadWorkersNameJoinsAgainWhileItsRecipientsAreStillMoved) {
  Pool pool = large_pool();
  const WorkerId old = *pool.find_worker("w1");
  EXPECT_TRUE(pool.settle());
  const WorkerId anew = pool.join("w1");
  EXPECT_NE(anew, old);
  EXPECT_EQ(pool.worker(anew).recipients, 0u);
  EXPECT_EQ(pool.check(), nullptr);
  const std::string last = recipient(kMany - 1);
  EXPECT_EQ(pool.owner(last), old);
  EXPECT_FALSE(pool.done(anew, last, 0)) << "what it had is not its own";
  EXPECT_FALSE(pool.acknowledge(anew, last, Offset(1)));
  EXPECT_FALSE(pool.has_delivery(old)) << "the dead are given nothing";
  EXPECT_TRUE(pool.settle());
  EXPECT_FALSE(pool.settle());
  EXPECT_EQ(pool.check(), nullptr);
  EXPECT_EQ(pool.worker(anew).recipients, (kMany - Pool::kSlice) / 2) << "it takes its turn like any other";
}

TEST(PoolFailover, LeastPendingPaysForLookingAtManyWorkers) {
  Pool pool = large_pool();
  pool.set({.policy = AssignmentPolicy::LeastPending});
  for (int i = 0; i < 640; ++i) pool.join("more " + std::to_string(i));
  EXPECT_TRUE(pool.settle());
  EXPECT_LE(pool.counters().moved, Pool::kSlice / 10);
  EXPECT_GT(pool.counters().moved, 0u);
  int slices = 1;
  while (pool.settle()) ASSERT_LT(++slices, 100);
  EXPECT_EQ(pool.counters().moved, kMany);
  EXPECT_EQ(pool.check(), nullptr);
}

}  // namespace
}  // namespace millrace
