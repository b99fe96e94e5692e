#include "engine/base/byte_order.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/big_endian.h"
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

// Strings of which none begins with another: they end with a byte that is in no other place.
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
      // The set grows, then shrinks to nothing.
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

// With entries of equal and of different length, and with chunks whose entries share a part of the number or not.
TEST(ByteOrder, GivesTheNumbersThatEntriesEndWith) {
  testing::run_seeds(10, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    ByteOrder order;
    std::set<std::string> model;
    for (uint32_t number = 0; number < 5'000; ++number) {
      std::string entry(seed % 2 == 0 ? 3 : random() % 4, static_cast<char>('a' + random() % (seed % 3 + 1)));
      entry += '\1';
      const uint32_t high = seed % 5 == 0 ? number << 20 : number;
      for (int shift = 24; shift >= 0; shift -= 8) entry += static_cast<char>(high >> shift);
      if (model.insert(entry).second) order.insert(entry);
    }
    for (int i = 0; i < 50; ++i) {
      std::string from = *std::next(model.begin(), static_cast<ptrdiff_t>(random() % model.size()));
      std::string to =
          random() % 3 == 0 ? "" : *std::next(model.begin(), static_cast<ptrdiff_t>(random() % model.size()));
      if (i == 0) from.clear();
      if (!to.empty() && to < from) std::swap(from, to);
      if (from == to) continue;
      std::vector<uint32_t> expected, found;
      for (auto at = model.lower_bound(from); at != model.end() && (to.empty() || *at < to); ++at) {
        uint32_t number = 0;
        for (const char byte : at->substr(at->size() - 4)) number = number << 8 | static_cast<uint8_t>(byte);
        expected.push_back(number);
      }
      order.each_ending(from, to, [&](uint32_t number) { found.push_back(number); });
      ASSERT_EQ(found, expected);
    }
  });
}

TEST(ByteOrder, EndsOfEntriesThatDifferInTheirLastBytesOnlyAreWhole) {
  // So that a chunk shares one, two or three bytes of the numbers, and none of them.
  for (const uint32_t step : {1U, 300U, 70'000U, 20'000'000U}) {
    ByteOrder order;
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < 200; ++i) {
      expected.push_back(0x01020304 + i * step);
      std::string entry = "the same key";
      append_big_endian(entry, expected.back());
      order.insert(entry);
    }
    std::vector<uint32_t> found;
    order.each_ending("", "", [&](uint32_t number) { found.push_back(number); });
    EXPECT_EQ(found, expected) << step;
  }
}

TEST(ByteOrder, ACopyIsEqualAndOfItsOwn) {
  std::mt19937_64 random(5);
  ByteOrder order;
  std::set<std::string> model;
  for (int i = 0; i < 3'000; ++i) {
    const std::string entry = random_entry(random, false);
    if (model.insert(entry).second) order.insert(entry);
  }
  ByteOrder copy = order.clone();
  expect_equal(copy, model);
  const std::string first = *model.begin();
  EXPECT_TRUE(order.erase(first));
  expect_equal(copy, model);
  EXPECT_TRUE(copy.erase(first));
  for (int i = 0; i < 3'000; ++i) copy.insert(random_entry(random, true));
  model.erase(first);
  expect_equal(order, model);
  expect_equal(ByteOrder().clone(), {});
}

}  // namespace
}  // namespace millrace
