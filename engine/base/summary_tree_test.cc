#include "engine/base/summary_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {

namespace {

struct Pair {
  uint32_t key;
  uint32_t value;
};

// A summary with the count and the greatest value.
struct CountAndMax {
  uint64_t count = 0;
  uint32_t max = 0;
  friend bool operator==(const CountAndMax&, const CountAndMax&) = default;
};

struct PairTraits {
  using Handle = uint32_t;
  static Handle handle_of(const Pair& pair) { return pair.key; }
  static auto compare(Handle key, uint32_t other) { return key <=> other; }

  using Summary = CountAndMax;
  static Summary of(const Pair& pair) { return {1, pair.value}; }
  static Summary join(const Summary& a, const Summary& b) { return {a.count + b.count, std::max(a.max, b.max)}; }
};

using Tree = SummaryTree<Pair, PairTraits>;
using Model = std::map<uint32_t, uint32_t>;

CountAndMax summary_before(const Model& model, uint32_t key) {
  CountAndMax all;
  for (auto at = model.begin(); at != model.lower_bound(key); ++at) {
    all = PairTraits::join(all, {1, at->second});
  }
  return all;
}

// All entries that are reached by open(), part by part.
std::vector<uint32_t> keys_in(const Tree& tree, uint32_t from, uint32_t to) {
  std::vector<uint32_t> keys;
  std::vector<Tree::Part> parts = {tree.whole()};
  while (!parts.empty()) {
    const Tree::Part part = parts.back();
    parts.pop_back();
    tree.open(
        part, from, to, [&](const Tree::Part& below) { parts.push_back(below); },
        [&](const Pair& pair) { keys.push_back(pair.key); });
  }
  std::ranges::sort(keys);
  return keys;
}

class TreeHistory {
 public:
  TreeHistory(uint64_t seed, uint32_t keys) : random_(seed), keys_(keys) {}

  void insert() {
    const uint32_t key = some_key();
    const uint32_t value = number(1000);
    ASSERT_EQ(tree_.insert(key, Pair{key, value}), model_.emplace(key, value).second);
  }

  void erase() {
    const uint32_t key = some_key();
    Pair erased{};
    const auto there = model_.find(key);
    ASSERT_EQ(tree_.erase(key, erased), there != model_.end());
    if (there == model_.end()) return;
    ASSERT_EQ(erased.value, there->second);
    model_.erase(there);
  }

  void update() {
    const uint32_t key = some_key();
    const uint32_t value = number(1000);
    ASSERT_EQ(tree_.update(key, [&](Pair& pair) { pair.value = value; }), model_.contains(key));
    if (model_.contains(key)) model_[key] = value;
  }

  void compare() {
    ASSERT_EQ(tree_.check(), nullptr);
    ASSERT_EQ(tree_.size(), model_.size());
    const uint32_t key = some_key();
    ASSERT_EQ(tree_.before(key), summary_before(model_, key));
    ASSERT_EQ(tree_.summary(), summary_before(model_, UINT32_MAX));
    const Pair* next = tree_.ceiling(key);
    const auto expected = model_.lower_bound(key);
    ASSERT_EQ(next != nullptr, expected != model_.end());
    if (next != nullptr) {
      ASSERT_EQ(next->key, expected->first);
    }
    ASSERT_EQ(tree_.find(key) != nullptr, model_.contains(key));
    const uint32_t to = key + number(keys_);
    std::vector<uint32_t> inside;
    for (auto at = expected; at != model_.lower_bound(to); ++at) inside.push_back(at->first);
    ASSERT_EQ(keys_in(tree_, key, to), inside);
  }

  Tree& tree() { return tree_; }
  size_t size() const { return model_.size(); }

 private:
  uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  uint32_t some_key() { return number(keys_); }

  std::mt19937_64 random_;
  uint32_t keys_;
  Tree tree_;
  Model model_;
};

TEST(SummaryTree, is_as_a_map_whose_ranges_are_summed_up) {
  testing::run_seeds(40, [](uint64_t seed) {
    TreeHistory history(seed, seed % 2 == 0 ? 30'000 : 400);
    // The tree grows, then keeps its size, then shrinks.
    for (const uint32_t inserts_of_ten : {8U, 5U, 2U}) {
      for (int i = 0; i < 30'000 && !::testing::Test::HasFatalFailure(); ++i) {
        const uint32_t chosen = static_cast<uint32_t>(seed + static_cast<uint64_t>(i) * 7) % 10;
        chosen < inserts_of_ten ? history.insert() : chosen == 9 ? history.update() : history.erase();
        if (i % 3000 == 0) history.compare();
      }
      history.compare();
    }
  });
}

TEST(SummaryTree, ascending_entries_fill_its_leaves) {
  Tree tree;
  for (uint32_t key = 0; key < 100'000; ++key) ASSERT_TRUE(tree.insert(key, Pair{key, 1}));
  EXPECT_EQ(tree.check(), nullptr);
  EXPECT_LT(tree.memory(), 100'000 * sizeof(Pair) * 11 / 10);
}

TEST(SummaryTree, changes_every_entry_and_all_summaries) {
  Tree tree;
  for (uint32_t key = 0; key < 20'000; ++key) tree.insert(key, Pair{key, key});
  tree.change_all([](Pair& pair) { pair.value *= 2; });
  EXPECT_EQ(tree.check(), nullptr);
  EXPECT_EQ(tree.summary().max, 39'998U);
}

TEST(SummaryTree, gives_its_memory_back_with_its_last_entry) {
  Tree tree;
  for (uint32_t key = 0; key < 20'000; ++key) tree.insert(key, Pair{key, 1});
  Pair erased{};
  for (uint32_t key = 0; key < 20'000; ++key) ASSERT_TRUE(tree.erase((key * 7919) % 20'000, erased));
  EXPECT_EQ(tree.memory(), 0U);
  EXPECT_TRUE(tree.insert(7U, Pair{7, 1}));
}

TEST(SummaryTree, can_be_freed_leaf_by_leaf) {
  Tree tree;
  for (uint32_t key = 0; key < 50'000; ++key) tree.insert(key, Pair{key, 1});
  size_t visited = 0;
  size_t times = 1;
  while (tree.free_some([&](const Pair&) { ++visited; })) ++times;
  EXPECT_EQ(visited, 50'000U);
  EXPECT_GT(times, 300U);
  EXPECT_EQ(tree.memory(), 0U);
}

TEST(SummaryTree, moves_with_all_its_entries) {
  Tree tree;
  for (uint32_t key = 0; key < 300; ++key) tree.insert(key, Pair{key, key});
  Tree other(std::move(tree));
  EXPECT_EQ(other.size(), 300U);
  EXPECT_EQ(other.check(), nullptr);
  Tree third;
  third = std::move(other);
  EXPECT_EQ(third.summary(), (CountAndMax{300, 299}));
}

}  // namespace

}  // namespace millrace
