// Balancing the numbers of recipients, and listing a worker's recipients while others move.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/shard/pool.h"
#include "tests/model/named_pool.h"

namespace millrace {
namespace {

using testing::NamedPool;
using testing::number;
using Names = std::vector<std::string>;

// w1 owns `count` idle recipients "r0", "r1", ...
NamedPool idle_pool(uint64_t count) {
  NamedPool pool({"w1"});
  for (uint64_t i = 0; i < count; ++i) {
    const std::string name = "r" + std::to_string(i);
    EXPECT_TRUE(pool.pool.route(name));
    EXPECT_TRUE(pool.pool.done(pool.id("w1"), name, 1));
  }
  return pool;
}
std::vector<uint64_t> loads(const NamedPool& pool) {
  std::vector<uint64_t> loads;
  for (WorkerId id : pool.pool.working()) loads.push_back(pool.pool.worker(id).recipients);
  return loads;
}

TEST(PoolRebalance, EvensOutTheLoad) {
  NamedPool pool = idle_pool(11);
  for (const char* name : {"w2", "w3"}) pool.join(name);
  EXPECT_EQ(pool.pool.rebalance(1000), 7u);
  pool.expect_sound();
  EXPECT_EQ(loads(pool), (std::vector<uint64_t>{4, 4, 3}));
  EXPECT_EQ(pool.pool.counters().moved, 7u);
  EXPECT_EQ(pool.pool.rebalance(1000), 0u) << "there is nothing left to even out";
}

TEST(PoolRebalance, MovesNoMoreThanItMay) {
  NamedPool pool = idle_pool(10);
  pool.join("w2");
  EXPECT_EQ(pool.pool.rebalance(0), 0u);
  EXPECT_EQ(pool.pool.rebalance(2), 2u);
  EXPECT_EQ(loads(pool), (std::vector<uint64_t>{8, 2}));
  EXPECT_EQ(pool.pool.rebalance(100), 3u);
  EXPECT_EQ(loads(pool), (std::vector<uint64_t>{5, 5}));
  pool.expect_sound();
}

TEST(PoolRebalance, OnlyIdleRecipientsMove) {
  NamedPool pool = idle_pool(6);
  pool.route("r0");
  pool.push("r1", {"p"});
  pool.push("r2", {"p"});
  pool.pull("w1", 1);
  pool.push("r4", {"p"});
  pool.join("w2");
  EXPECT_EQ(pool.pool.rebalance(100), 2u);
  EXPECT_EQ(pool.recipients("w2"), (Names{"r3", "r5"}));
  pool.expect_sound();
}

TEST(PoolRebalance, OneThatCanGiveNothingDoesNotKeepOthersFromGiving) {
  NamedPool pool({"w1", "w2", "w3"});
  for (int i = 0; i < 12; ++i) pool.route("r" + std::to_string(i));
  // w1 has busy recipients, which cannot move; w2 has idle ones. w3 gives all of its own to the others, and joins
  // again.
  for (int i = 1; i < 12; i += 3) EXPECT_EQ(pool.done("w2", "r" + std::to_string(i)), number(0));
  pool.leave("w3", true);
  pool.join("w3");
  EXPECT_EQ(loads(pool), (std::vector<uint64_t>{6, 6, 0}));
  EXPECT_EQ(pool.pool.rebalance(100), 3u) << "w2 gives until it has as few as w3";
  EXPECT_EQ(loads(pool), (std::vector<uint64_t>{6, 3, 3}));
  pool.expect_sound();
}

TEST(PoolRebalance, StaleAndLeavingWorkersNeitherGiveNorTake) {
  NamedPool pool = idle_pool(8);
  for (const char* name : {"w2", "w3", "w4"}) pool.join(name);
  pool.touch("w2");
  pool.route("r0");
  pool.leave("w4");
  pool.tick(15'001);
  pool.touch("w1");
  EXPECT_EQ(pool.pool.rebalance(100), 4u);
  EXPECT_EQ(loads(pool), (std::vector<uint64_t>{4, 0, 4}));
  pool.leave("w1");
  EXPECT_EQ(pool.recipients("w1"), (Names{"r0"}));
  EXPECT_EQ(pool.pool.rebalance(100), 0u);
  pool.expect_sound();
}

TEST(PoolRebalance, LooksAtABoundedNumber) {
  NamedPool pool = idle_pool(0);
  const uint64_t many = 10 * Pool::kSlice + 10;
  for (uint64_t i = 0; i < many; ++i) EXPECT_TRUE(pool.pool.route("r" + std::to_string(i)));
  EXPECT_TRUE(pool.pool.done(pool.id("w1"), "r" + std::to_string(many - 1), 1));
  pool.join("w2");
  EXPECT_EQ(pool.pool.rebalance(100), 0u) << "the idle one is too far behind";
  EXPECT_TRUE(pool.pool.done(pool.id("w1"), "r5", 1));
  EXPECT_EQ(pool.pool.rebalance(100), 1u);
  EXPECT_EQ(pool.owner("r5"), "w2");
}

// --- walking ---

TEST(PoolCursor, MeetsEveryoneOnceInPieces) {
  NamedPool pool = idle_pool(10);
  Names met;
  uint64_t cursor = 0;
  int pieces = 0;
  do {
    cursor = pool.pool.each_recipient(pool.id("w1"), cursor, 3,
                                      [&](const Recipient& recipient) { met.emplace_back(recipient.name()); });
    ++pieces;
  } while (cursor != 0);
  EXPECT_EQ(met, (Names{"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"}));
  EXPECT_EQ(pieces, 4);
  EXPECT_EQ(pool.pool.each_recipient(pool.id("w1"), 0, 10, [](const Recipient&) {}), 0u) << "exactly all";
}

TEST(PoolCursor, AnyNumberIsACursor) {
  NamedPool pool = idle_pool(3);
  for (const uint64_t cursor : {uint64_t{1}, uint64_t{1} << 32, uint64_t{2} << 32 | 99, UINT64_MAX}) {
    uint64_t met = 0;
    EXPECT_EQ(pool.pool.each_recipient(pool.id("w1"), cursor, 100, [&](const Recipient&) { ++met; }), 0u);
    EXPECT_LE(met, 3u);
  }
}

TEST(PoolCursor, MeetsRecipientsThatStayExactlyOnceWhateverMovesMeanwhile) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    NamedPool pool = idle_pool(40);
    // Busy recipients stay.
    for (int i = 0; i < 40; ++i) {
      if (random() % 3 == 0) pool.route("r" + std::to_string(i));
    }
    pool.join("w2");
    std::map<std::string, int> met;
    std::map<std::string, bool> stayed;
    for (const std::string& name : pool.recipients("w1")) stayed[name] = true;
    uint64_t cursor = 0;
    do {
      cursor = pool.pool.each_recipient(pool.id("w1"), cursor, 1 + random() % 4,
                                        [&](const Recipient& recipient) { ++met[std::string(recipient.name())]; });
      // Some go to w2, and w2 gives some back: a recipient may be away for a moment.
      pool.pool.rebalance(random() % 4);
      for (auto& [name, stays] : stayed) stays = stays && pool.owner(name) == "w1";
      if (random() % 3 == 0) {
        pool.leave("w2");
        pool.join("w2");
      }
      pool.expect_sound();
    } while (cursor != 0);
    for (const auto& [name, stays] : stayed) {
      if (!stays) continue;
      EXPECT_EQ(met[name], 1) << name;
    }
    EXPECT_GT(std::ranges::count_if(stayed, [](const auto& one) { return one.second; }), 0);
  }
}

}  // namespace
}  // namespace millrace
