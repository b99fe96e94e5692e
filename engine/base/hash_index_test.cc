#include "engine/base/hash_index.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <unordered_map>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

using Index = HashIndex<uint32_t>;

constexpr auto kAllLive = [](uint32_t) { return true; };
constexpr auto kAny = [](uint32_t) { return true; };

auto is(uint32_t wanted) {
  return [wanted](uint32_t value) { return value == wanted; };
}

// Distributes values like a good hash.
uint32_t hash_of(uint32_t value) { return value * 2654435761U; }

Index index_of(uint32_t count) {
  Index index;
  for (uint32_t value = 0; value < count; ++value) index.insert(hash_of(value), value);
  return index;
}

TEST(HashIndex, WithNothingInItHasAnswers) {
  Index index;
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.find(0, kAny), nullptr);
  EXPECT_FALSE(index.erase(0, 0));
  EXPECT_EQ(index.memory(), 0u);
  EXPECT_EQ(index.clone().size(), 0u);
  index.shrink(0, kAllLive);
  index.shrink(5, kAllLive);
  EXPECT_STREQ(index.check(), nullptr);
}

TEST(HashIndex, AValueIsFoundByItsWholeHashAndTheCallersWord) {
  Index index;
  index.insert(7, 1);
  index.insert(7, 2);
  index.insert(7 + 1024, 3);  // in the same bucket as long as there are few
  EXPECT_EQ(*index.find(7, is(2)), 2u);
  EXPECT_EQ(*index.find(7 + 1024, kAny), 3u);
  EXPECT_EQ(index.find(7, is(3)), nullptr);
  EXPECT_EQ(index.find(8, kAny), nullptr);
  *index.find(7, is(2)) = 9;
  EXPECT_EQ(*std::as_const(index).find(7, is(9)), 9u);
}

TEST(HashIndex, OneOfTwoValuesWithTheSameHashIsErased) {
  Index index;
  index.insert(7, 1);
  index.insert(7, 2);
  EXPECT_FALSE(index.erase(7, 3));
  EXPECT_FALSE(index.erase(8, 1));
  EXPECT_TRUE(index.erase(7, 1));
  EXPECT_FALSE(index.erase(7, 1));
  EXPECT_EQ(index.find(7, is(1)), nullptr);
  EXPECT_NE(index.find(7, is(2)), nullptr);
  EXPECT_EQ(index.size(), 1u);
}

// A split reads the values of one bucket; a doubling would read all of them.
TEST(HashIndex, NoInsertionLooksAtMoreThanTwoBuckets) {
  Index index;
  size_t most = 0;
  for (uint32_t value = 0; value < 100'000; ++value) {
    size_t looked_at = 0;
    index.insert(hash_of(value), value, [&](uint32_t) { return ++looked_at, true; });
    most = std::max(most, looked_at);
  }
  EXPECT_GT(most, 0u);
  EXPECT_LE(most, 200u);
  EXPECT_STREQ(index.check(), nullptr);
  for (uint32_t value = 0; value < 100'000; ++value) ASSERT_NE(index.find(hash_of(value), is(value)), nullptr);
}

TEST(HashIndex, NoCallOfShrinkLooksAtMoreThanTwoBuckets) {
  Index index = index_of(50'000);
  const size_t full = index.memory();
  for (uint32_t value = 0; value < 49'900; ++value) {
    ASSERT_TRUE(index.erase(hash_of(value), value));
    size_t looked_at = 0;
    index.shrink(index.size(), [&](uint32_t) { return ++looked_at, true; });
    ASSERT_LE(looked_at, 100u);
    if (value % 1000 == 0) {
      ASSERT_STREQ(index.check(), nullptr);
    }
  }
  EXPECT_STREQ(index.check(), nullptr);
  EXPECT_LE(index.memory(), full / 50);
  for (uint32_t value = 49'900; value < 50'000; ++value) ASSERT_NE(index.find(hash_of(value), is(value)), nullptr);
}

TEST(HashIndex, AnEntryTakesAboutElevenBytes) {
  const Index index = index_of(1'000'000);
  EXPECT_LE(index.memory(), 12'500'000u);
  EXPECT_GE(index.memory(), 8'000'000u);
}

TEST(HashIndex, WithoutLivingValuesItFreesEverything) {
  Index index = index_of(1000);
  index.shrink(0, kAllLive);
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.memory(), 0u);
  index.insert(1, 1);
  EXPECT_NE(index.find(1, is(1)), nullptr);
  EXPECT_STREQ(index.check(), nullptr);
}

// Values that are removed elsewhere, such as expired messages, without being erased from the index.
TEST(HashIndex, DeadValuesAreSweptByThoseThatCome) {
  constexpr uint32_t kLiving = 1000;
  Index index;
  size_t most = 0;
  for (uint32_t value = 0; value < 200'000; ++value) {
    const auto lives = [&](uint32_t each) { return each + kLiving > value; };
    index.insert(hash_of(value), value, lives);
    index.shrink(kLiving, lives);
    most = std::max(most, index.size());
    if (value % 5000 == 0) {
      ASSERT_STREQ(index.check(), nullptr);
    }
  }
  EXPECT_LE(most, 4 * kLiving);
  for (uint32_t value = 199'001; value < 200'000; ++value) ASSERT_NE(index.find(hash_of(value), is(value)), nullptr);
}

TEST(HashIndex, ACloneStandsOnItsOwn) {
  Index index = index_of(500);
  Index copy = index.clone();
  for (uint32_t value = 0; value < 500; value += 2) index.erase(hash_of(value), value);
  *copy.find(hash_of(1), is(1)) = 777;
  for (Index* each : {&index, &copy}) EXPECT_STREQ(each->check(), nullptr);
  EXPECT_EQ(index.size(), 250u);
  EXPECT_EQ(copy.size(), 500u);
  EXPECT_NE(index.find(hash_of(1), is(1)), nullptr);
  for (uint32_t value = 2; value < 500; ++value) ASSERT_NE(copy.find(hash_of(value), is(value)), nullptr);
  for (uint32_t value = 1000; value < 2000; ++value) copy.insert(hash_of(value), value);
  EXPECT_STREQ(copy.check(), nullptr);
}

// --- random histories ---

// The values of one hash; dead ones may still be there, living ones must.
using Model = std::unordered_multimap<uint32_t, uint32_t>;

template <class Index>
class History {
 public:
  explicit History(uint64_t seed) : random_(seed), hashes_(between(1, chance(3) ? 20 : 100'000)) {}

  void run() {
    for (int phase = 0; phase < 30 && !::testing::Test::HasFailure(); ++phase) {
      const uint64_t kind = between(0, 5);
      for (uint64_t i = between(1, 100); i > 0; --i) {
        take_step(kind);
        ASSERT_STREQ(index_.check(), nullptr) << "in phase " << phase << " of kind " << kind;
        ASSERT_GE(index_.size(), living_.size());
      }
      compare();
      if (chance(10)) index_ = index_.clone();
    }
  }

 private:
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  auto lives() {
    return [this](uint32_t value) { return !dead_.contains(value); };
  }
  Model::iterator some_living() {
    return std::next(living_.begin(), static_cast<ptrdiff_t>(between(0, living_.size() - 1)));
  }

  void take_step(uint64_t kind) {
    if (kind <= 2) {
      const auto hash = hash_of(static_cast<uint32_t>(between(1, hashes_)));
      index_.insert(hash, next_, lives());
      living_.emplace(hash, next_++);
    } else if (kind == 3) {
      if (living_.empty()) return;
      const auto gone = some_living();
      EXPECT_TRUE(index_.erase(gone->first, gone->second));
      EXPECT_FALSE(index_.erase(gone->first, gone->second));
      living_.erase(gone);
    } else if (kind == 4) {
      if (living_.empty()) return;
      const auto gone = some_living();
      dead_.insert(gone->second);
      living_.erase(gone);
    } else {
      index_.shrink(living_.size(), lives());
    }
  }

  void compare() {
    for (const auto& [hash, value] : living_) {
      const uint32_t* found = index_.find(hash, is(value));
      ASSERT_NE(found, nullptr);
      ASSERT_EQ(*found, value);
    }
    for (int i = 0; i < 20; ++i) {
      const auto hash = hash_of(static_cast<uint32_t>(between(1, hashes_)));
      size_t count = 0;
      index_.find(hash, [&](uint32_t value) {
        count += lives()(value);
        return false;
      });
      ASSERT_EQ(count, living_.count(hash));
    }
  }

  std::mt19937_64 random_;
  uint64_t hashes_;
  uint32_t next_ = 0;
  Index index_;
  Model living_;
  std::set<uint32_t> dead_;
};

TEST(HashIndex, RandomHistoriesAgreeWithAMultimap) {
  testing::run_seeds(100, [](uint64_t seed) { History<Index>(seed).run(); });
}

TEST(HashIndex, RandomHistoriesWithAFilterAgreeWithAMultimap) {
  testing::run_seeds(100, [](uint64_t seed) { History<HashIndex<uint32_t, BucketFilter>>(seed).run(); });
}

// --- the filter ---

TEST(BucketFilter, DeniesMostHashesOfABucketThatItHasNot) {
  constexpr uint32_t kBuckets = 1 << 16;  // hashes of one bucket have the same low bits
  BucketFilter filter;
  for (uint32_t i = 0; i < Index::kFull; ++i) filter.add(hash_of(i) * kBuckets + 7);
  for (uint32_t i = 0; i < Index::kFull; ++i) ASSERT_TRUE(filter.may_have(hash_of(i) * kBuckets + 7)) << i;
  uint32_t passed = 0;
  for (uint32_t i = Index::kFull; i < 10'000; ++i) passed += filter.may_have(hash_of(i) * kBuckets + 7) ? 1 : 0;
  EXPECT_LT(passed, 2'000u);
}

}  // namespace
}  // namespace millrace
