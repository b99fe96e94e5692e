#include "engine/base/dated_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

// With equal dates, equal entries, names that are prefixes of others, and names that are too long for a leaf.
TEST(DatedNames, EqualsASetOfPairs) {
  testing::run_seeds(20, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    DatedNames names;
    std::multiset<std::pair<uint64_t, std::string>> model;
    for (int step = 0; step < 5'000; ++step) {
      const uint64_t date = random() % 3 == 0 ? random() >> random() % 64 : random() % 50;
      std::string name(random() % 40 == 0 ? 200 + random() % 80 : random() % 4, static_cast<char>(random() % 3));
      name += random() % 2 == 0 ? "" : std::to_string(random() % 5);
      const auto what = random() % 100;
      if (what < (step < 3'000 ? 60u : 20u)) {
        names.add(date, name);
        model.emplace(date, name);
      } else if (what < 80 && !model.empty()) {
        // In half of the cases, chooses an entry that exists.
        auto chosen = std::pair(date, name);
        if (random() % 2 == 0) chosen = *std::next(model.begin(), static_cast<ptrdiff_t>(random() % model.size()));
        const auto found = model.find(chosen);
        ASSERT_EQ(names.remove(chosen.first, chosen.second), found != model.end());
        if (found != model.end()) model.erase(found);
      } else if (!model.empty()) {
        const uint64_t first = model.begin()->first;
        ASSERT_EQ(names.first(), first);
        const auto found = model.find({first, names.take_first()});
        ASSERT_NE(found, model.end());
        model.erase(found);
      }
      ASSERT_EQ(names.size(), model.size());
      ASSERT_EQ(names.check(), nullptr);
    }
  });
}

// Many entries, which are added and removed in the orders that occur in an agenda.
TEST(DatedNames, GrowsAndShrinksInAnyOrder) {
  testing::run_seeds(20, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    DatedNames names;
    std::vector<std::pair<uint64_t, std::string>> entries;
    // 1: all dates are equal. 20: dates increase, and a few are equal. The others: no order, within minutes or
    // centuries.
    const uint64_t spread = std::array<uint64_t, 4>{1, 20, 1'000'000, uint64_t{1} << 42}[seed % 4];
    for (uint64_t i = 0; i < 4'000; ++i) {
      const uint64_t date = spread == 20 ? i / 10 + random() % spread : random() % spread;
      entries.emplace_back(date, "name-" + std::to_string(random() % 10'000) + std::string(random() % 60, 'x'));
      names.add(entries.back().first, entries.back().second);
    }
    ASSERT_EQ(names.check(), nullptr);
    if (seed % 5 < 2) std::shuffle(entries.begin(), entries.end(), random);
    while (entries.size() > 1'000) {
      ASSERT_TRUE(names.remove(entries.back().first, entries.back().second));
      entries.pop_back();
    }
    ASSERT_EQ(names.check(), nullptr);
    std::sort(entries.begin(), entries.end());
    std::vector<std::pair<uint64_t, std::string>> taken;
    while (!names.empty()) {
      const uint64_t date = names.first();
      ASSERT_TRUE(taken.empty() || taken.back().first <= date);
      taken.emplace_back(date, names.take_first());
      ASSERT_EQ(names.check(), nullptr);
    }
    std::sort(taken.begin(), taken.end());
    ASSERT_EQ(taken, entries);
  });
}

// The memory is that of the names plus some ten bytes per name, also after most names were removed.
TEST(DatedNames, NeedsLittleMoreThanTheNames) {
  DatedNames names;
  for (uint64_t i = 0; i < 100'000; ++i) names.add(i / 7, "name-" + std::to_string(i % 1000 + 1000));
  EXPECT_LT(names.memory(), 100'000 * (9 + 8));
  for (uint64_t i = 0; i < 100'000; ++i) {
    if (i % 50 != 0) {
      ASSERT_TRUE(names.remove(i / 7, "name-" + std::to_string(i % 1000 + 1000)));
    }
  }
  EXPECT_LT(names.memory(), 2'000 * 40);
  EXPECT_EQ(names.check(), nullptr);
}

}  // namespace
}  // namespace millrace
