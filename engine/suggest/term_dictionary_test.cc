#include "engine/suggest/term_dictionary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "tests/model/seeds.h"

namespace millrace {

namespace {

TEST(TermDictionary, has_the_scores_that_were_set_and_incremented) {
  TermDictionary dictionary;
  dictionary.set("tea", dictionary.weight_for(5));
  EXPECT_EQ(dictionary.score(*dictionary.weight("tea")), 5);
  EXPECT_EQ(dictionary.weight("coffee"), std::nullopt);
  EXPECT_EQ(dictionary.best(), 5);
  EXPECT_TRUE(dictionary.remove("tea"));
  EXPECT_FALSE(dictionary.remove("tea"));
  EXPECT_TRUE(dictionary.empty());
  EXPECT_EQ(dictionary.best(), 0);
}

TEST(TermDictionary, scores_fade_together_and_new_ones_do_not) {
  TermDictionary dictionary;
  dictionary.set("old", dictionary.weight_for(8));
  dictionary.fade(0.5);
  dictionary.set("new", dictionary.weight_for(8));
  EXPECT_EQ(dictionary.score(*dictionary.weight("old")), 4);
  EXPECT_EQ(dictionary.score(*dictionary.weight("new")), 8);
}

TEST(TermDictionary, fades_without_end) {
  TermDictionary dictionary;
  dictionary.set("old", dictionary.weight_for(kMaxScore));
  for (int i = 0; i < 5000; ++i) {
    dictionary.fade(0.1);
    ASSERT_GE(dictionary.factor(), kLeastFactor);
    dictionary.set("new", dictionary.weight_for(kMaxScore));
    ASSERT_EQ(dictionary.check(), nullptr) << i;
    ASSERT_NEAR(dictionary.best(), kMaxScore, 1);
  }
  EXPECT_EQ(dictionary.score(*dictionary.weight("old")), 0);
}

TEST(TermDictionary, scores_are_those_of_a_naive_map_to_twelve_digits) {
  testing::run_seeds(100, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    TermDictionary dictionary;
    std::map<std::string, double> naive;
    for (int i = 0; i < 3000; ++i) {
      const std::string term = std::to_string(random() % 50);
      const auto amount = static_cast<double>(random() % 1000);
      if (random() % 20 == 0) {
        const double by = static_cast<double>(1 + random() % 99) / 100;
        dictionary.fade(by);
        for (auto& [_, score] : naive) score *= by;
      } else if (random() % 2 == 0) {
        dictionary.set(term, dictionary.weight_for(amount));
        naive[term] = amount;
      } else {
        dictionary.set(term, dictionary.weight(term).value_or(0) + dictionary.weight_for(amount));
        naive[term] += amount;
      }
    }
    ASSERT_EQ(dictionary.check(), nullptr);
    ASSERT_EQ(dictionary.size(), naive.size());
    for (const auto& [term, score] : naive) {
      ASSERT_NEAR(dictionary.score(*dictionary.weight(term)), score, 1e-12 * score + 1e-300);
    }
  });
}

TEST(TermDictionary, can_be_freed_in_parts) {
  TermDictionary dictionary;
  for (int i = 0; i < 20'000; ++i) dictionary.set("term " + std::to_string(i), i);
  size_t parts = 1;
  while (dictionary.free_some()) ++parts;
  EXPECT_GT(parts, 100U);
}

}  // namespace

}  // namespace millrace
