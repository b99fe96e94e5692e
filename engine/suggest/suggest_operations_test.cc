#include "engine/suggest/suggest_operations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace {

namespace {

using Texts = std::vector<std::string>;

class SuggestOperationsTest : public ::testing::Test {
 protected:
  Outcome<double> add(ByteView term, double amount = 1) {
    return operations_.add(place_, {.term = term, .sets = false, .amount = amount}, {});
  }
  Outcome<double> set(ByteView term, double score) {
    return operations_.add(place_, {.term = term, .sets = true, .amount = score}, {});
  }
  Outcome<uint64_t> remove(std::vector<ByteView> terms) { return operations_.remove(place_, terms, {}); }
  Texts get(const TypedPrefix& prefix, uint64_t limit = 10) {
    Texts texts;
    for (const TermEntry* entry : operations_.get(place_.get(), {.prefix = prefix, .limit = limit})) {
      texts.emplace_back(entry->term->text());
    }
    return texts;
  }
  static Texts events_of(const Consequences& follow) { return {follow.events.begin(), follow.events.end()}; }

  SuggestOperations operations_;
  OwnPlace<TermDictionary> place_{"dictionary"};
};

TEST_F(SuggestOperationsTest, a_score_is_incremented_or_set_and_the_request_told) {
  EXPECT_EQ(*add("tea").answer, 1);
  EXPECT_EQ(*add("tea", 2.5).answer, 3.5);
  const auto done = set("tea", 7);
  EXPECT_EQ(*done.answer, 7);
  EXPECT_TRUE(done.consequences.effects.is_request_alone());
  EXPECT_EQ(events_of(done.consequences), Texts{"sug.add"});
}

TEST_F(SuggestOperationsTest, nothing_is_told_of_what_changes_nothing) {
  set("tea", 7);
  for (const auto& follow : {set("tea", 7).consequences, add("tea", 0).consequences, remove({"x"}).consequences}) {
    EXPECT_TRUE(follow.effects.empty());
    EXPECT_TRUE(follow.events.empty());
  }
}

TEST_F(SuggestOperationsTest, a_term_may_have_no_score_at_all) {
  EXPECT_EQ(*add("tea", 0).answer, 0);
  EXPECT_EQ(place_.get()->size(), 1U);
  EXPECT_EQ(get({.text = "t"}), Texts{"tea"});
}

TEST_F(SuggestOperationsTest, a_score_above_the_greatest_is_refused) {
  set("tea", kMaxScore);
  const auto done = add("tea", 1);
  ASSERT_FALSE(done.answer);
  EXPECT_EQ(done.answer.error().code, ErrorCode::Range);
  EXPECT_EQ(done.answer.error().text, "the score of 'tea' would be above 100000000000");
  EXPECT_EQ(*add("tea", 0).answer, kMaxScore);
}

TEST_F(SuggestOperationsTest, the_dictionary_goes_with_its_last_term) {
  add("tea");
  add("coffee");
  EXPECT_EQ(*remove({"tea", "tea", "x"}).answer, 1U);
  const auto done = remove({"coffee"});
  EXPECT_EQ(events_of(done.consequences), (Texts{"sug.del", "del"}));
  EXPECT_EQ(place_.get(), nullptr);
  EXPECT_EQ(*remove({"coffee"}).answer, 0U);
}

TEST_F(SuggestOperationsTest, decay_keeps_the_order_and_lets_new_terms_pass_old_ones) {
  set("old", 10);
  set("older", 9);
  EXPECT_EQ(*operations_.decay(place_, 50, {}).answer, 2U);
  set("new", 6);
  EXPECT_EQ(get({.text = ""}), (Texts{"new", "old", "older"}));
  OwnPlace<TermDictionary> missing("missing");
  EXPECT_EQ(*operations_.decay(missing, 50, {}).answer, 0U);
}

TEST_F(SuggestOperationsTest, those_without_a_mistake_come_first) {
  set("berlin", 1);
  set("bernau", 2);
  set("brelau", 100);
  set("london", 1000);
  EXPECT_EQ(get({.text = "berl", .allows_a_mistake = true}), (Texts{"berlin", "brelau", "bernau"}));
  EXPECT_EQ(get({.text = "berl", .allows_a_mistake = true}, 2), (Texts{"berlin", "brelau"}));
  EXPECT_EQ(get({.text = "berl"}), Texts{"berlin"});
}

// The exact matches are also among those that a mistake allows, but come only once.
TEST_F(SuggestOperationsTest, a_term_without_a_mistake_does_not_come_again) {
  for (int i = 0; i < 30; ++i) set("ab" + std::to_string(i), 100);
  for (int i = 0; i < 30; ++i) set("ac" + std::to_string(i), 1);
  const Texts found = get({.text = "ab", .allows_a_mistake = true}, 40);
  EXPECT_EQ(found.size(), 40U);
  EXPECT_EQ(Texts(found.begin() + 30, found.begin() + 32), (Texts{"ac0", "ac1"}));
}

TEST_F(SuggestOperationsTest, the_case_does_not_matter_if_asked) {
  set("Zürich", 2);
  set("ZÜRS", 1);
  set("zug", 9);
  EXPECT_EQ(get({.text = "zÜr", .ignores_case = true}), (Texts{"Zürich", "ZÜRS"}));
  EXPECT_EQ(get({.text = "zur", .ignores_case = true, .allows_a_mistake = true}), (Texts{"zug", "Zürich", "ZÜRS"}));
}

TEST_F(SuggestOperationsTest, a_dictionary_that_is_missing_has_no_terms) {
  EXPECT_TRUE(get({.text = ""}).empty());
  EXPECT_EQ(operations_.counters().asked, 1U);
}

TEST_F(SuggestOperationsTest, a_part_that_is_refused_makes_no_dictionary) {
  EXPECT_FALSE(operations_.apply(place_, {.kind = 0, .bytes = "x", .block = {}}, {}).answer);
  EXPECT_EQ(place_.get(), nullptr);
}

}  // namespace

}  // namespace millrace
