// The background work of a pool: it reports when it next has something to do, and never asks to be called again without
// having made progress.
#include <gtest/gtest.h>

#include <string>

#include "engine/shard/pool.h"
#include "tests/model/named_pool.h"

namespace millrace {
namespace {

using testing::NamedPool;
using testing::number;

constexpr std::optional<PoolTime> kNever;

TEST(PoolSettle, AnIdlePoolHasNothingToDo) {
  NamedPool pool;
  EXPECT_EQ(pool.pool.next_settle(), kNever);
  EXPECT_FALSE(pool.pool.settle());
  for (const char* name : {"w1", "w2"}) pool.join(name);
  for (const char* name : {"w1", "w2"}) pool.touch(name);
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(150'001)) << "nobody has anything pending: they leave in time";
}

TEST(PoolSettle, TheDateIsThatOfTheFirstBusyWorkerToGoStale) {
  NamedPool pool({"w1", "w2", "w3"});
  pool.route("ann");
  pool.route("bob");
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(150'001)) << "who never showed itself is not stale; w3 is idle";
  pool.tick(50);
  pool.touch("w2");
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(15'051));
  pool.tick(70);
  pool.touch("w1");
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(15'051));
  EXPECT_EQ(pool.done("w2", "bob"), number(0));
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(15'071));
  pool.pool.set({.stale_ms = 100});
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(171));
}

TEST(PoolSettle, TheOnlyWorkerIsNotWaitedFor) {
  NamedPool pool({"w1"});
  pool.route("ann");
  pool.touch("w1");
  EXPECT_EQ(pool.pool.next_settle(), kNever);
  pool.tick(20'000);
  EXPECT_EQ(pool.pool.next_settle(), kNever);
  pool.join("w2");
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(20'000)) << "w2 can take over at once";
}

TEST(PoolSettle, ThereIsNothingToDoWithoutALivingWorker) {
  NamedPool pool({"w1", "w2", "w3"});
  for (const char* recipient : {"ann", "bob", "cat"}) pool.push(recipient, {"p"});
  for (const char* name : {"w1", "w2", "w3"}) pool.pull(name);
  pool.leave("w3");
  pool.tick(20'000);
  EXPECT_EQ(pool.pool.next_settle(), kNever);
  EXPECT_FALSE(pool.pool.settle());
  EXPECT_EQ(pool.pool.counters().failovers, 0u);
  pool.touch("w2");
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(20'000));
  EXPECT_FALSE(pool.pool.settle());
  EXPECT_EQ(pool.pool.counters().failovers, 2u) << "the one that works and the one that leaves";
  EXPECT_EQ(pool.worker("w2").recipients, 3u);
  EXPECT_EQ(pool.pool.next_settle(), kNever) << "nobody is left to take over from w2";
}

TEST(PoolSettle, WhatALeavingWorkerHoldsIsNotLookedAtAgainAndAgain) {
  NamedPool pool({"w1", "w2"});
  pool.push("ann", {"p"});
  pool.pull("w1");
  pool.leave("w1");
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(15'001)) << "when it goes stale, not before";
  EXPECT_FALSE(pool.pool.settle());
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(15'001));
}

TEST(PoolSettle, ManyHeldRecipientsOfALeavingWorkerAreLookedAtOnceEach) {
  Pool pool{HashKey{}};
  const uint64_t many = 2 * Pool::kSlice + 5;
  const WorkerId w1 = pool.join("w1");
  for (uint64_t i = 0; i < many; ++i) ASSERT_TRUE(pool.route("r" + std::to_string(i)));
  pool.join("w2");
  EXPECT_EQ(pool.leave(w1, false), 0u);
  EXPECT_EQ(pool.next_settle(), pool.now());
  EXPECT_TRUE(pool.settle());
  EXPECT_FALSE(pool.settle());
  EXPECT_EQ(pool.next_settle(), pool.now() + 15'001) << "when it goes stale: nothing is left to look at";
  EXPECT_EQ(pool.check(), nullptr);
}

TEST(PoolSettle, TheDeadAreMovedOneAfterTheOtherInOneSlice) {
  NamedPool pool({"w1", "w2", "w3"});
  for (int i = 0; i < 30; ++i) pool.push("r" + std::to_string(i), {"p"});
  for (const char* name : {"w1", "w2"}) pool.touch(name);
  pool.tick(15'001);
  EXPECT_FALSE(pool.pool.settle());
  EXPECT_EQ(pool.worker("w3").recipients, 30u);
  EXPECT_TRUE(pool.pool.going().empty());
  EXPECT_EQ(pool.pool.next_settle(), kNever);
}

}  // namespace
}  // namespace millrace
