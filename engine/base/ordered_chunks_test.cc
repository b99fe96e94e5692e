#include "engine/base/ordered_chunks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

struct Entry {
  uint64_t key;
  uint64_t value;
};
uint64_t key_of(const Entry& entry) { return entry.key; }
using Chunks = OrderedChunks<Entry, key_of>;
using Model = std::map<uint64_t, uint64_t>;

void expect_same(Chunks& chunks, const Model& model) {
  ASSERT_STREQ(chunks.check(), nullptr);
  ASSERT_EQ(chunks.size(), model.size());
  ASSERT_EQ(chunks.empty(), model.empty());
  auto expected = model.begin();
  chunks.each([&](const Entry& entry) {
    EXPECT_EQ(entry.key, expected->first);
    EXPECT_EQ(entry.value, expected->second);
    ++expected;
  });
  if (model.empty()) return;
  EXPECT_EQ(chunks.front().key, model.begin()->first);
  EXPECT_EQ(chunks.back().key, model.rbegin()->first);
}

void expect_same_answers(Chunks& chunks, const Model& model, uint64_t key) {
  SCOPED_TRACE(key);
  const auto same = [](const Entry* entry, Model::const_iterator expected, bool there) {
    ASSERT_EQ(entry != nullptr, there);
    if (!there) return;
    EXPECT_EQ(entry->key, expected->first);
    EXPECT_EQ(entry->value, expected->second);
  };
  const auto found = model.find(key);
  const auto above = model.upper_bound(key);
  const auto ceiling = model.lower_bound(key);
  same(chunks.find(key), found, found != model.end());
  same(chunks.floor(key), above == model.begin() ? above : std::prev(above), above != model.begin());
  same(chunks.ceiling(key), ceiling, ceiling != model.end());
  same(std::as_const(chunks).ceiling(key), ceiling, ceiling != model.end());
  for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{70}, size_t{1000}}) {
    auto after = ceiling;
    for (size_t i = 0; i < count && after != model.end(); ++i) ++after;
    same(chunks.after(key, count), after, after != model.end());
  }
}

void run_history(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](uint64_t min, uint64_t max) { return min + random() % (max - min + 1); };
  Chunks chunks;
  Model model;
  uint64_t next = 1;
  const uint64_t keys = between(50, 3000);
  for (int step = 0; step < 60 && !::testing::Test::HasFailure(); ++step) {
    // A phase in which mostly one kind of step is made: chunks fill up, are split, drained and merged.
    const uint64_t kind = between(0, 6);
    for (uint64_t i = between(1, 200); i > 0; --i) {
      if (kind <= 1) {
        next = std::max(next, model.empty() ? 1 : model.rbegin()->first + 1);
        chunks.insert({next, i});
        model.emplace(next++, i);
      } else if (kind <= 3) {
        const uint64_t key = between(0, keys);
        if (model.emplace(key, i).second) chunks.insert({key, i});
      } else if (kind == 4) {
        if (model.empty()) break;
        const uint64_t key = model.begin()->first;
        EXPECT_TRUE(chunks.erase(key));
        model.erase(key);
      } else {
        const uint64_t key = between(0, next + 1);
        EXPECT_EQ(chunks.erase(key), model.erase(key) == 1);
      }
    }
    if (between(0, 3) == 0) {
      const uint64_t from = between(0, next), to = between(0, 3) == 0 ? UINT64_MAX : between(0, next + 1);
      const uint64_t part = between(1, 4);
      const auto leaves = [&](const Entry& entry) { return entry.key % part == 0; };
      std::vector<uint64_t> seen;
      chunks.each_from(from, [&](const Entry& entry) { return seen.push_back(entry.key), entry.key < to; });
      uint64_t expected = 0;
      for (auto at = model.lower_bound(from); at != model.end() && expected < seen.size(); ++at, ++expected) {
        EXPECT_EQ(seen[expected], at->first);
      }
      EXPECT_EQ(expected, seen.size());
      if (between(0, 5) == 0) {
        chunks.erase_if(leaves);
        std::erase_if(model, [&](const auto& entry) { return entry.first % part == 0; });
      } else {
        chunks.erase_if(from, to, leaves);
        std::erase_if(model, [&](const auto& entry) {
          return entry.first >= from && entry.first < to && entry.first % part == 0;
        });
      }
    }
    if (between(0, 30) == 0) {
      chunks.clear();
      model.clear();
    }
    expect_same(chunks, model);
    for (uint64_t key : {uint64_t{0}, between(0, keys), between(0, next), next, UINT64_MAX}) {
      expect_same_answers(chunks, model, key);
    }
  }
}

TEST(OrderedChunks, RandomHistoriesAgreeWithAMap) { testing::run_seeds(150, run_history); }

TEST(OrderedChunks, WithNothingInItHasAnswers) {
  Chunks chunks;
  expect_same(chunks, {});
  expect_same_answers(chunks, {}, 5);
  EXPECT_FALSE(chunks.erase(5));
  EXPECT_LT(chunks.memory(), 100u);
}

TEST(OrderedChunks, AnEntryThatIsFoundMayBeChangedInPlace) {
  Chunks chunks;
  for (uint64_t key = 0; key < 300; ++key) chunks.insert({key * 2, 0});
  chunks.find(400)->value = 7;
  chunks.floor(403)->value = 8;
  EXPECT_EQ(chunks.ceiling(399)->value, 7u);
  EXPECT_EQ(chunks.find(402)->value, 8u);
  EXPECT_EQ(chunks.find(403), nullptr);
}

// Counts how often it is compared.
struct CountedKey {
  uint64_t value;
  static inline uint64_t comparisons_ = 0;
  friend bool operator==(const CountedKey&, const CountedKey&) = default;
  friend auto operator<=>(const CountedKey& a, const CountedKey& b) {
    ++comparisons_;
    return a.value <=> b.value;
  }
};
CountedKey counted(const CountedKey& entry) { return entry; }

TEST(OrderedChunks, AnEntryIsAddedAndFoundWithAsManyComparisonsAsTheLogarithm) {
  OrderedChunks<CountedKey, counted> chunks;
  std::mt19937_64 random(1);
  uint64_t most = 0;
  const auto compare = [&](auto step) {
    CountedKey::comparisons_ = 0;
    step();
    most = std::max(most, CountedKey::comparisons_);
  };
  for (int i = 0; i < 200'000; ++i) {
    const CountedKey key{random()};
    compare([&] { chunks.insert(key); });
    compare([&] { chunks.find(key); });
  }
  EXPECT_LE(most, 40u) << "the logarithm of 200,000 is 18";
}

constexpr uint64_t kMany = 100'000;

Chunks ascending() {
  Chunks chunks;
  for (uint64_t key = 0; key < kMany; ++key) chunks.insert({key, key});
  return chunks;
}

TEST(OrderedChunks, ManyThatAreTakenOutAtOnceGiveTheirMemoryBack) {
  Chunks chunks;
  for (uint64_t key = 0; key < 100'000; ++key) chunks.insert({key, key});
  const size_t full = chunks.memory();
  chunks.erase_if(100, 99'000, [](const Entry& entry) { return entry.key % 100 != 0; });
  EXPECT_EQ(chunks.size(), 100u + 989u + 1'000u);
  EXPECT_LT(chunks.memory(), full / 20);
  EXPECT_EQ(chunks.check(), nullptr);
  chunks.erase_if([](const Entry&) { return true; });
  EXPECT_TRUE(chunks.empty());
  EXPECT_LT(chunks.memory(), 100u);
}

TEST(OrderedChunks, AscendingEntriesFillTheirChunks) {
  const Chunks chunks = ascending();
  EXPECT_STREQ(chunks.check(), nullptr);
  // The list of chunks, which grows by doubling, takes at most one byte for each entry.
  EXPECT_LE(chunks.memory(), kMany * (sizeof(Entry) + 1) + 4096);
}

TEST(OrderedChunks, TakingFromTheFrontGivesMemoryBack) {
  Chunks chunks = ascending();
  const size_t full = chunks.memory();
  for (uint64_t key = 0; key < kMany - 100; ++key) {
    ASSERT_EQ(chunks.front().key, key);
    ASSERT_TRUE(chunks.erase(key));
    if (key == kMany / 2) {
      EXPECT_LE(chunks.memory(), full * 6 / 10);
    }
  }
  EXPECT_STREQ(chunks.check(), nullptr);
  EXPECT_LE(chunks.memory(), 8192u);
}

TEST(OrderedChunks, AQueueThatMovesOnStaysSmall) {
  Chunks chunks;
  size_t most = 0;
  for (uint64_t key = 0; key < kMany; ++key) {
    chunks.insert({key, key});
    if (key >= 1000) chunks.erase(key - 1000);
    most = std::max(most, chunks.memory());
  }
  EXPECT_STREQ(chunks.check(), nullptr);
  EXPECT_EQ(chunks.size(), 1000u);
  EXPECT_LE(most, 1000 * sizeof(Entry) * 2 + 8192);
}

// In whatever order most entries are erased, the memory of the rest is a small multiple of their size.
TEST(OrderedChunks, SparseChunksAreMerged) {
  for (const uint64_t keep_every : {20u, 64u, 100u}) {
    for (const bool upwards : {true, false}) {
      SCOPED_TRACE(::testing::Message() << "one of " << keep_every << (upwards ? " upwards" : " downwards"));
      Chunks chunks = ascending();
      for (uint64_t i = 0; i < kMany; ++i) {
        const uint64_t key = upwards ? i : kMany - 1 - i;
        if (key % keep_every != 0) {
          ASSERT_TRUE(chunks.erase(key));
        }
      }
      ASSERT_STREQ(chunks.check(), nullptr);
      EXPECT_LE(chunks.memory(), chunks.size() * (sizeof(Entry) + 1) * 8);
    }
  }
}

}  // namespace
}  // namespace millrace
