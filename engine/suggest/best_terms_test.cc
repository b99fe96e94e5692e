#include "engine/suggest/best_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/suggest/term_dictionary.h"
#include "tests/model/seeds.h"

namespace millrace {

namespace {

using Scores = std::map<std::string, double>;

std::vector<std::string> texts_of(const std::vector<const TermEntry*>& entries) {
  std::vector<std::string> texts;
  for (const TermEntry* entry : entries) texts.emplace_back(entry->term->text());
  return texts;
}

std::vector<std::string> naive_best(const Scores& scores, const std::vector<std::string>& prefixes, size_t most) {
  std::vector<std::pair<double, std::string>> all;
  for (const auto& [term, score] : scores) {
    if (std::ranges::any_of(prefixes, [&](const auto& prefix) { return term.starts_with(prefix); })) {
      all.emplace_back(-score, term);
    }
  }
  std::ranges::sort(all);
  std::vector<std::string> best;
  for (size_t i = 0; i < std::min(most, all.size()); ++i) best.push_back(all[i].second);
  return best;
}

// Terms of few letters, so that they share prefixes; scores of which many are equal.
class BestTermsHistory {
 public:
  explicit BestTermsHistory(uint64_t seed) : random_(seed), scores_up_to_(1 + number(seed % 3 == 0 ? 3 : 10'000)) {}

  void step() {
    const std::string term = some_text(1, 7);
    if (number(10) < 7) {
      const auto score = static_cast<double>(number(scores_up_to_));
      dictionary_.set(term, score);
      scores_[term] = score;
    } else {
      ASSERT_EQ(dictionary_.remove(term), scores_.erase(term) == 1);
    }
  }

  void compare() {
    ASSERT_EQ(dictionary_.check(), nullptr);
    for (const size_t most : {1U, 10U, 200U}) {
      for (size_t length = 0; length < 4; ++length) {
        const std::vector<std::string> one = {some_text(length, length)};
        ASSERT_EQ(texts_of(best_terms(dictionary_.terms(), one, most)), naive_best(scores_, one, most));
        const std::vector<std::string> two = {"a" + one[0], "b" + some_text(2, 2)};
        ASSERT_EQ(texts_of(best_terms(dictionary_.terms(), two, most)), naive_best(scores_, two, most));
      }
    }
  }

 private:
  uint64_t number(uint64_t below) { return random_() % below; }
  std::string some_text(size_t least, size_t most) {
    std::string text(least + number(most - least + 1), 'a');
    for (char& c : text) c = static_cast<char>('a' + number(6));
    return text;
  }

  std::mt19937_64 random_;
  uint64_t scores_up_to_;
  TermDictionary dictionary_;
  Scores scores_;
};

TEST(BestTerms, are_those_that_sorting_all_terms_gives) {
  testing::run_seeds(50, [](uint64_t seed) {
    BestTermsHistory history(seed);
    for (int i = 0; i < 12'000 && !::testing::Test::HasFatalFailure(); ++i) {
      history.step();
      if (i % 2000 == 0) history.compare();
    }
    history.compare();
  });
}

TEST(BestTerms, of_an_empty_dictionary_are_none) {
  const TermDictionary dictionary;
  EXPECT_TRUE(best_terms(dictionary.terms(), std::vector<std::string>{""}, 10).empty());
}

}  // namespace

}  // namespace millrace
