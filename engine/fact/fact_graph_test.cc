#include "engine/fact/fact_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {

namespace {

using Texts = std::array<std::string, 3>;

FactText text_of(const Texts& fact) { return {fact[0], fact[1], fact[2]}; }
Texts texts_of(const FactText& fact) {
  return {std::string(fact.subject), std::string(fact.predicate), std::string(fact.object)};
}

// A question with a given name, or with any name.
using Asked = std::array<std::optional<std::string>, 3>;

bool fits(const Texts& fact, const Asked& asked) {
  for (size_t i = 0; i < 3; ++i) {
    if (asked[i] && *asked[i] != fact[i]) return false;
  }
  return true;
}

class GraphHistory {
 public:
  explicit GraphHistory(uint64_t seed) : random_(seed), names_(1 + number(60)) {}

  void step() {
    const Texts fact{some_name(), some_name(), some_name()};
    if (number(100) < adding_) {
      ASSERT_EQ(graph_.add(text_of(fact)), model_.insert(fact).second);
    } else {
      ASSERT_EQ(graph_.remove(text_of(fact)), model_.erase(fact) == 1);
    }
    ASSERT_EQ(graph_.size(), model_.size());
    if (number(500) == 0) adding_ = 10 + number(85);
  }

  // All eight patterns, with names that exist and names that do not.
  void compare() {
    ASSERT_EQ(graph_.check(), nullptr);
    for (uint32_t which = 0; which < 8; ++which) {
      Asked asked;
      FactPattern pattern;
      bool is_known = true;
      for (uint32_t i = 0; i < 3; ++i) {
        if ((which >> i & 1) == 0) continue;
        asked[i] = some_name();
        FactName& name = i == 0 ? pattern.subject : i == 1 ? pattern.predicate : pattern.object;
        name = graph_.names().find(*asked[i]);
        is_known = is_known && name.is_some();
      }
      std::vector<Texts> expected;
      std::ranges::copy_if(model_, std::back_inserter(expected), [&](const Texts& fact) { return fits(fact, asked); });
      if (!is_known) {
        ASSERT_TRUE(expected.empty());
        continue;
      }
      ASSERT_EQ(graph_.count(pattern), expected.size());
      std::vector<Texts> found = pages(pattern);
      std::ranges::sort(found);
      ASSERT_EQ(found, expected);
    }
  }

 private:
  uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  std::string some_name() { return "name " + std::to_string(number(names_)); }

  std::vector<Texts> pages(const FactPattern& pattern) {
    std::vector<Texts> found;
    const uint32_t page = 1 + number(9);
    std::optional<Fact> last;
    for (uint32_t on_page = page; on_page == page;) {
      on_page = 0;
      graph_.each(pattern, last ? &*last : nullptr, [&](const Fact& fact) {
        found.push_back(texts_of(graph_.text(fact)));
        last = fact;
        return ++on_page < page;
      });
    }
    return found;
  }

  std::mt19937_64 random_;
  uint32_t names_;
  uint32_t adding_ = 70;  // of a hundred steps
  FactGraph graph_{HashKey{7}};
  std::set<Texts> model_;
};

TEST(FactGraph, answers_every_pattern_as_a_set_of_facts_does) {
  testing::run_seeds(100, [](uint64_t seed) {
    GraphHistory history(seed);
    for (int i = 0; i < 3000 && !::testing::Test::HasFatalFailure(); ++i) {
      history.step();
      if (i % 150 == 0) history.compare();
    }
  });
}

TEST(FactGraph, a_name_is_freed_with_the_last_fact_that_uses_it) {
  FactGraph graph{HashKey{}};
  graph.add({"ann", "knows", "bob"});
  graph.add({"bob", "knows", "bob"});
  EXPECT_EQ(graph.names().size(), 3U);
  graph.remove({"ann", "knows", "bob"});
  EXPECT_EQ(graph.names().size(), 2U);
  EXPECT_TRUE(graph.names().find("ann").is_none());
  graph.remove({"bob", "knows", "bob"});
  EXPECT_EQ(graph.names().size(), 0U);
  EXPECT_EQ(graph.check(), nullptr);
}

TEST(FactGraph, facts_stay_in_the_order_in_which_their_names_came) {
  FactGraph graph{HashKey{}};
  for (const char* name : {"zoe", "ann", "max"}) graph.add({name, "is", "here"});
  graph.remove({"zoe", "is", "here"});
  graph.add({"zoe", "is", "here"});
  std::vector<std::string> order;
  graph.each({}, nullptr, [&](const Fact& fact) {
    order.emplace_back(graph.text(fact).subject);
    return true;
  });
  EXPECT_EQ(order, (std::vector<std::string>{"ann", "max", "zoe"}));
}

TEST(FactNames, after_the_last_number_the_free_ones_follow_from_the_first_on) {
  FactNames names{HashKey{}};
  EXPECT_EQ(names.use("a"), FactName(0));
  EXPECT_EQ(names.use("b"), FactName(1));
  names.set_next(FactName(UINT32_MAX - 1));
  EXPECT_EQ(names.use("c"), FactName(UINT32_MAX - 1));
  names.drop(FactName(1));
  EXPECT_EQ(names.use("d"), FactName(1));
  EXPECT_EQ(names.use("e"), FactName(2));
  EXPECT_EQ(names.check([](FactName) { return 1; }), nullptr);
}

TEST(FactGraph, can_be_freed_in_parts) {
  FactGraph graph{HashKey{}};
  for (int i = 0; i < 20'000; ++i) {
    graph.add({"subject " + std::to_string(i), "p" + std::to_string(i % 7), "object " + std::to_string(i / 3)});
  }
  size_t parts = 1;
  while (graph.free_some()) ++parts;
  EXPECT_GT(parts, 300U);
}

TEST(FactGraph, a_fact_takes_less_than_a_hundred_bytes_with_its_names) {
  FactGraph graph{HashKey{}};
  std::mt19937_64 random(1);
  for (int i = 0; i < 50'000; ++i) {
    graph.add({"user:" + std::to_string(random() % 10'000), "p" + std::to_string(random() % 10),
               "user:" + std::to_string(random() % 10'000)});
  }
  EXPECT_LT(graph.memory() / graph.size(), 70U);
}

}  // namespace

}  // namespace millrace
