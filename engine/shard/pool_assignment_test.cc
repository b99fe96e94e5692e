// Which worker gets a recipient, and which workers count as living.
#include <gtest/gtest.h>

#include "engine/shard/pool.h"
#include "tests/model/named_pool.h"

namespace millrace {
namespace {

using testing::failure;
using testing::NamedPool;
using testing::number;

TEST(PoolAssignment, APoolWithoutWorkersTakesNothing) {
  NamedPool pool;
  EXPECT_EQ(pool.route("ann"), "nobody");
  EXPECT_EQ(pool.push("ann", {"p"}), "nobody");
  EXPECT_EQ(pool.owner("ann"), "nobody");
  EXPECT_EQ(pool.pool.recipients().size(), 0u);
}

TEST(PoolAssignment, NewRecipientsGoRoundInTheOrderInWhichWorkersJoined) {
  NamedPool pool({"zoe", "max", "amy"});
  EXPECT_EQ(pool.pool.iterator(), 0u);
  EXPECT_EQ(pool.route("r1"), "zoe");
  EXPECT_EQ(pool.pool.iterator(), 1u);
  EXPECT_EQ(pool.route("r2"), "max");
  EXPECT_EQ(pool.pool.iterator(), 2u);
  EXPECT_EQ(pool.push("r3", {"p"}), "amy");
  EXPECT_EQ(pool.pool.iterator(), 0u) << "past the end it is 0 again";
  EXPECT_EQ(pool.route("r4"), "zoe");
  EXPECT_EQ(pool.pool.counters().assigned, 4u);
  EXPECT_EQ(pool.pool.counters().moved, 0u);
}

TEST(PoolAssignment, AKnownRecipientStaysAndMovesNoIterator) {
  NamedPool pool({"w1", "w2"});
  EXPECT_EQ(pool.route("ann"), "w1");
  EXPECT_EQ(pool.route("ann"), "w1");
  EXPECT_EQ(pool.push("ann", {"p", "q"}), "w1");
  EXPECT_EQ(pool.pool.iterator(), 1u);
  EXPECT_EQ(pool.pending("ann"), 4u);
  EXPECT_EQ(pool.worker("w1").pending, 4u);
  EXPECT_EQ(pool.worker("w1").busy, 1u);
}

TEST(PoolAssignment, AWorkerThatJoinsComesLast) {
  NamedPool pool({"w1", "w2"});
  EXPECT_EQ(pool.route("r1"), "w1");
  pool.join("w3");
  EXPECT_EQ(pool.route("r2"), "w2");
  EXPECT_EQ(pool.route("r3"), "w3");
  EXPECT_EQ(pool.route("r4"), "w1");
}

TEST(PoolAssignment, AnIteratorBeyondThoseThatAreLeftStartsAtTheFirst) {
  NamedPool pool({"w1", "w2", "w3"});
  EXPECT_EQ(pool.route("r1"), "w1");
  EXPECT_EQ(pool.route("r2"), "w2");
  pool.leave("w3");
  pool.leave("w2", true);
  EXPECT_EQ(pool.route("r3"), "w1");
  EXPECT_EQ(pool.route("r4"), "w1");
}

TEST(PoolAssignment, AWorkerIsStaleWhenItsLastAccessIsMoreThanThatAgo) {
  NamedPool pool({"w1"});
  const auto is_stale = [&] { return pool.pool.is_stale(pool.worker("w1")); };
  pool.tick(1'000'000);
  EXPECT_FALSE(is_stale()) << "it never showed itself";
  pool.touch("w1");
  pool.tick(1'015'000);
  EXPECT_FALSE(is_stale()) << "not more than 15,000 ms ago";
  pool.tick(1'015'001);
  EXPECT_TRUE(is_stale());
  pool.pool.set({.stale_ms = 15'001});
  EXPECT_FALSE(is_stale());
}

TEST(PoolAssignment, TimeDoesNotRunBackwards) {
  NamedPool pool({"w1"});
  EXPECT_TRUE(pool.pool.tick(PoolTime(10)));
  EXPECT_FALSE(pool.pool.tick(PoolTime(10)));
  EXPECT_FALSE(pool.pool.tick(PoolTime(9)));
  EXPECT_EQ(pool.pool.now(), PoolTime(10));
}

TEST(PoolAssignment, DoneAndAcknowledgeAreSignsOfLife) {
  NamedPool pool({"w1"});
  pool.route("ann");
  pool.push("ann", {"p"});
  EXPECT_FALSE(pool.worker("w1").seen) << "being sent something is none";
  pool.tick(5);
  EXPECT_EQ(pool.done("w1", "ann"), number(1));
  EXPECT_EQ(pool.worker("w1").seen, PoolTime(5));
  pool.pull("w1");
  pool.tick(9);
  EXPECT_EQ(pool.ack("w1", "ann", 1), number(1));
  EXPECT_EQ(pool.worker("w1").seen, PoolTime(9));
}

TEST(PoolAssignment, OnlyTheLivingAreChosen) {
  NamedPool pool({"w1", "w2", "w3"});
  pool.touch("w2");
  pool.tick(15'001);
  EXPECT_EQ(pool.route("r1"), "w1");
  EXPECT_EQ(pool.route("r2"), "w3") << "w2 is stale";
  EXPECT_EQ(pool.pool.iterator(), 0u);
  EXPECT_EQ(pool.route("r3"), "w1");
  pool.touch("w2");
  EXPECT_EQ(pool.route("r4"), "w2") << "it is back";
}

TEST(PoolAssignment, WithoutALivingWorkerNoneIsAnswered) {
  NamedPool pool({"w1", "w2"});
  for (const char* name : {"w1", "w2"}) pool.touch(name);
  pool.tick(20'000);
  EXPECT_EQ(pool.route("r1"), "nobody");
  EXPECT_EQ(pool.push("r1", {"p"}), "nobody");
  EXPECT_EQ(pool.pool.recipients().size(), 0u);
  pool.touch("w2");
  EXPECT_EQ(pool.route("r1"), "w2");
}

TEST(PoolAssignment, LeastPendingChoosesTheWorkerWithLeastToDo) {
  NamedPool pool({"w1", "w2", "w3"});
  pool.pool.set({.policy = AssignmentPolicy::LeastPending});
  EXPECT_EQ(pool.push("r1", {"a", "b", "c"}), "w1") << "of equals the first";
  EXPECT_EQ(pool.push("r2", {"a"}), "w2");
  EXPECT_EQ(pool.push("r3", {"a", "b"}), "w3");
  EXPECT_EQ(pool.push("r4", {"a", "b"}), "w2") << "it has one, the others more";
  EXPECT_EQ(pool.route("r5"), "w3") << "it has two, the others three";
  pool.pull("w1");
  EXPECT_EQ(pool.ack("w1", "r1", 3), number(3));
  EXPECT_EQ(pool.route("r6"), "w1");
}

TEST(PoolAssignment, LeastPendingPrefersFewerRecipientsAmongEquals) {
  NamedPool pool({"w1", "w2"});
  pool.pool.set({.policy = AssignmentPolicy::LeastPending});
  EXPECT_EQ(pool.route("r1"), "w1");
  EXPECT_EQ(pool.done("w1", "r1"), number(0));
  EXPECT_EQ(pool.route("r2"), "w2");
}

TEST(PoolAssignment, LeastPendingNeverChoosesTheStale) {
  NamedPool pool({"w1", "w2"});
  pool.pool.set({.policy = AssignmentPolicy::LeastPending});
  pool.touch("w1");
  pool.tick(15'001);
  EXPECT_EQ(pool.push("r1", {"a", "b"}), "w2");
  EXPECT_EQ(pool.route("r2"), "w2");
}

TEST(PoolAssignment, APoolHasAsManyWorkersAsItCanAndNoMore) {
  Pool pool{HashKey{}};
  for (size_t i = 0; i < Pool::kMaxWorkers; ++i) {
    ASSERT_TRUE(pool.restore_worker({.name = "worker " + std::to_string(i), .seen = {}}));
  }
  EXPECT_TRUE(pool.is_full("one more", pool.now()));
  EXPECT_FALSE(pool.is_full("worker 7", pool.now())) << "it is there already";
  pool.leave(pool.join("worker 7"), false);
  EXPECT_FALSE(pool.is_full("one more", pool.now()));
  pool.join("one more");
  EXPECT_TRUE(pool.is_full("worker 7", pool.now()));
  EXPECT_EQ(pool.check(), nullptr);
}

TEST(PoolAssignment, ARecipientThatCanTakeNoMoreIsRefusedBeforeAnythingMoves) {
  NamedPool pool({"w1", "w2"});
  ASSERT_TRUE(pool.pool.restore_worker({.name = "w3", .seen = PoolTime(0)}));
  const RecipientHead ann{.name = "ann", .routed = UINT32_MAX, .assigned = 1, .next_sequence = kMaxOffset - 1};
  ASSERT_TRUE(pool.pool.restore_recipients({&ann, 1}));
  pool.tick(20'000);
  EXPECT_EQ(pool.route("ann"), "the recipient has as much pending as it can");
  EXPECT_EQ(pool.push("ann", {"p", "q"}), "the recipient has used up its sequences");
  EXPECT_EQ(pool.owner("ann"), "w3");
  EXPECT_EQ(pool.pool.counters().moved, 0u);
  EXPECT_EQ(pool.push("ann", {"p"}), "w1") << "there is room for one, and its worker is stale";
}

}  // namespace
}  // namespace millrace
