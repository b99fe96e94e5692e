#include "engine/base/dated_names.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

// With equal dates, equal entries, names that begin with each other, and names too long for the settled part.
TEST(DatedNames, HoldsWhatASetOfPairsHolds) {
  testing::run_seeds(20, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    DatedNames names;
    std::multiset<std::pair<uint64_t, std::string>> model;
    for (int step = 0; step < 5'000; ++step) {
      const uint64_t date = random() % 3 == 0 ? random() : random() % 50;
      std::string name(random() % 40 == 0 ? 1500 : random() % 4, static_cast<char>(random() % 3));
      name += random() % 2 == 0 ? "" : std::to_string(random() % 5);
      const auto what = random() % 100;
      if (what < (step < 3'000 ? 60u : 20u)) {
        names.add(date, name);
        model.emplace(date, name);
      } else if (what < 80 && !model.empty()) {
        // In half of the cases, one that exists.
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
    }
  });
}

}  // namespace
}  // namespace millrace
