#include "engine/index/byte_order.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <set>
#include <string>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

void expect_equal(const ByteOrder& order, const std::set<std::string>& model) {
  ASSERT_EQ(order.check(), nullptr);
  ASSERT_EQ(order.size(), model.size());
  ByteOrder::Walk walk(order);
  walk.seek("");
  for (const std::string& entry : model) {
    ASSERT_TRUE(walk.is_at_entry());
    ASSERT_EQ(walk.entry(), entry);
    walk.next();
  }
  EXPECT_FALSE(walk.is_at_entry());
  walk.seek_last();
  for (auto entry = model.rbegin(); entry != model.rend(); ++entry) {
    ASSERT_TRUE(walk.is_at_entry());
    ASSERT_EQ(walk.entry(), *entry);
    walk.previous();
  }
  EXPECT_FALSE(walk.is_at_entry());
}

// Strings of which none begins with another: they end with a byte that they do not have elsewhere.
std::string random_entry(std::mt19937_64& random, bool fixed) {
  std::string entry(fixed ? 11 : random() % 20 + random() % 2 * 300, '\0');
  const auto letters = random() % 2 == 0 ? 2 : 200;
  for (char& c : entry) c = static_cast<char>(1 + random() % static_cast<uint64_t>(letters));
  return entry + '\0';
}

TEST(ByteOrder, HoldsWhatASetHolds) {
  testing::run_seeds(20, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    ByteOrder order;
    std::set<std::string> model;
    const bool fixed = seed % 2 == 0;
    for (int step = 0; step < 20'000; ++step) {
      // It grows, then shrinks to nothing.
      const bool adds = random() % 100 < (step < 9'000 ? 70u : 30u);
      if (adds) {
        const std::string entry = random_entry(random, fixed);
        ASSERT_EQ(order.insert(entry), model.insert(entry).second);
      } else {
        const std::string bound = random_entry(random, fixed);
        const auto found = model.lower_bound(bound);
        ASSERT_EQ(order.contains(bound), found != model.end() && *found == bound);
        if (found == model.end()) continue;
        ASSERT_TRUE(order.contains(*found));
        ASSERT_TRUE(order.erase(*found));
        ASSERT_FALSE(order.erase(*found));
        model.erase(found);
      }
      if (step % 2'000 == 0) expect_equal(order, model);
      if (step % 100 != 0 || model.empty()) continue;
      const std::string bound = random_entry(random, fixed);
      const auto above = model.lower_bound(bound);
      const auto rank = static_cast<uint64_t>(std::distance(model.begin(), above));
      ASSERT_EQ(order.rank(bound), rank);
      ByteOrder::Walk walk(order);
      walk.seek(bound);
      ASSERT_EQ(walk.is_at_entry(), above != model.end());
      if (above != model.end()) {
        ASSERT_EQ(walk.entry(), *above);
        std::string entry;
        order.at_rank(rank, entry);
        ASSERT_EQ(entry, *above);
      }
      walk.seek_before(bound);
      ASSERT_EQ(walk.is_at_entry(), above != model.begin());
      if (above == model.begin()) continue;
      ASSERT_EQ(walk.entry(), *std::prev(above));
    }
    expect_equal(order, model);
    for (const std::string& entry : model) ASSERT_TRUE(order.erase(entry));
    expect_equal(order, {});
  });
}

TEST(ByteOrder, PacksNumbersThatComeInOrder) {
  ByteOrder order;
  for (uint32_t i = 0; i < 100'000; ++i) {
    std::string entry(12, '\0');
    for (size_t byte = 0; byte < 4; ++byte) {
      entry[4 + byte] = static_cast<char>(i >> (24 - 8 * byte));
      entry[8 + byte] = static_cast<char>(i * 7 >> (24 - 8 * byte));
    }
    ASSERT_TRUE(order.insert(entry));
  }
  EXPECT_EQ(order.check(), nullptr);
  EXPECT_LT(order.memory(), 100'000 * 8u);
}

}  // namespace
}  // namespace millrace
