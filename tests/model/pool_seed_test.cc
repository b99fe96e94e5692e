// The four procedures that pools come from: what each guarantees, and an exact copy of all of them, compared with our
// pool over random histories.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include <gtest/gtest.h>

#include <random>

#include "tests/model/named_pool.h"
#include "tests/model/seed_pool.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

using Names = std::vector<std::string>;

// --- the procedures, by their names ---

TEST(PoolSeed, ProcessPayloadRecipKeyAssignsOnceAndCounts) {
  NamedPool pool({"uid1", "uid2"});
  EXPECT_EQ(pool.route("key"), "uid1");
  EXPECT_EQ(pool.route("key"), "uid1");
  EXPECT_EQ(pool.pending("key"), 2u);
}

TEST(PoolSeed, ProcessPayloadRecipKeyReassignsAStaleUidAlsoIfNothingIsPending) {
  NamedPool pool({"uid1", "uid2"});
  for (const char* key : {"key1", "key2", "key3"}) pool.route(key);
  pool.done("uid1", "key1");
  pool.done("uid1", "key3");
  pool.tick(SeedPool::kStaleMs + 1);
  EXPECT_EQ(pool.route("key1"), "uid2") << "the seed answers the stale one here";
  EXPECT_EQ(pool.recipients("uid2"), (Names{"key2", "key1", "key3"})) << "all move";
  EXPECT_FALSE(pool.has("uid1")) << "its list is empty, so it is deleted";
}

TEST(PoolSeed, GetNewValidUidGoesUpByOneAndBackToZero) {
  NamedPool pool({"uid1", "uid2", "uid3"});
  std::string uids, iterators;
  for (const char* key : {"a", "b", "c", "d"}) {
    uids += pool.route(key) + " ";
    iterators += std::to_string(pool.pool.iterator()) + " ";
  }
  EXPECT_EQ(uids, "uid1 uid2 uid3 uid1 ");
  EXPECT_EQ(iterators, "1 2 0 1 ");
}

TEST(PoolSeed, AssignRecipKeyToNewUidAddsTheKeyWithNothingPending) {
  NamedPool pool({"uid1"});
  pool.route("key1");
  pool.route("key2");
  EXPECT_EQ(pool.recipients("uid1"), (Names{"key1", "key2"}));
  EXPECT_EQ(pool.pending("key2"), 1u) << "0, and the message that came";
}

TEST(PoolSeed, ReassignRecipKeyToUidTakesThePendingCountAlong) {
  NamedPool pool({"uid1", "uid2", "uid3"});
  for (const char* key : {"key1", "key2", "key3", "key4", "key4", "key4"}) pool.route(key);
  pool.done("uid1", "key1");
  pool.tick(SeedPool::kStaleMs + 1);
  pool.route("key4");
  EXPECT_EQ(pool.recipients("uid2"), (Names{"key2", "key1"}));
  EXPECT_EQ(pool.recipients("uid3"), (Names{"key3", "key4"}));
  EXPECT_EQ(pool.pending("key1"), 0u);
  EXPECT_EQ(pool.pending("key4"), 4u);
  EXPECT_EQ(pool.pool.iterator(), 0u) << "uid1 had its place in line until it was empty";
}

// --- compared with ours ---

class History {
 public:
  explicit History(uint64_t seed) : random_(seed), workers_(between(1, 6)), recipients_(between(1, 25)) {}

  void run() {
    for (int step = 0; step < 500 && !::testing::Test::HasFailure(); ++step) {
      take_step();
      SCOPED_TRACE(::testing::Message() << "after step " << step);
      compare();
    }
  }

 private:
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }

  void take_step() {
    const std::string uid = "uid" + std::to_string(between(1, workers_));
    const std::string key = "key" + std::to_string(between(1, recipients_));
    switch (between(0, 9)) {
      case 0:
        pool_.tick(seed_.now += between(0, 3) == 0 ? SeedPool::kStaleMs + between(0, 1) : between(0, 8000));
        break;
      case 1:
        if (between(0, 3) != 0) break;
        pool_.join(uid);
        seed_.join(uid);
        break;
      case 2:
      case 3:
        if (!seed_.has(uid)) break;
        pool_.touch(uid);
        seed_.heartbeat(uid);
        break;
      case 4:
      case 5:
      case 6:
        done(uid, key);
        break;
      default:
        if (!seed_.any_living()) {
          EXPECT_EQ(pool_.route(key), "nobody");
        } else {
          EXPECT_EQ(pool_.route(key), seed_.process_payload_recip_key(key));
        }
    }
  }
  // Our pool refuses a worker that is not the owner; the original does not check this.
  void done(const std::string& uid, const std::string& key) {
    if (!seed_.has(uid)) return;
    const auto owner = seed_.recip_key_uid_map.find(key);
    if (owner == seed_.recip_key_uid_map.end() || owner->second != uid) {
      EXPECT_EQ(pool_.done(uid, key), failure(ErrorCode::NotOwner));
    } else if (seed_.pending(key) == 0) {
      EXPECT_EQ(pool_.done(uid, key), failure(ErrorCode::Range));
    } else {
      seed_.done(uid, key);
      EXPECT_EQ(pool_.done(uid, key), number(seed_.pending(key)));
    }
  }

  void compare() {
    ASSERT_EQ(pool_.pool.working().size(), seed_.uid_recip_keys_map.size());
    ASSERT_EQ(pool_.pool.iterator(), seed_.round_robin_iterator.value_or(0));
    for (size_t i = 0; i < seed_.uid_recip_keys_map.size(); ++i) {
      const auto& [uid, keys] = seed_.uid_recip_keys_map[i];
      const WorkerId worker = pool_.pool.working()[i];
      ASSERT_EQ(pool_.pool.worker(worker).name, uid);
      ASSERT_EQ(pool_.recipients(worker), keys);
      for (const std::string& key : keys) ASSERT_EQ(pool_.pending(key), seed_.pending(key));
    }
    ASSERT_TRUE(pool_.pool.going().empty());
  }

  std::mt19937_64 random_;
  uint64_t workers_, recipients_;
  NamedPool pool_;
  SeedPool seed_;
};

TEST(PoolSeed, AssignsWhatTheSeedAssignsOverRandomHistories) {
  run_seeds(300, [](uint64_t seed) { History(seed).run(); });
}

}  // namespace
}  // namespace millrace::testing
