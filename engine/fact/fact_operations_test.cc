#include "engine/fact/fact_operations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/fact/fact_cursor.h"

namespace millrace {

namespace {

class FactOperationsTest : public ::testing::Test {
 protected:
  Outcome<uint64_t> add(std::vector<ByteView> words) { return operations_.add(place_, words, {}); }
  Outcome<uint64_t> remove(std::vector<ByteView> words) { return operations_.remove(place_, words, {}); }

  static std::vector<std::string> events_of(const Consequences& follow) {
    return {follow.events.begin(), follow.events.end()};
  }

  HashKey key_{};
  FactLimits limits_;
  FactOperations operations_{key_, limits_};
  OwnPlace<FactGraph> place_{"graph"};
};

using Events = std::vector<std::string>;

TEST_F(FactOperationsTest, adding_counts_the_new_facts_and_tells_the_request) {
  const auto done = add({"a", "b", "c", "d", "e", "f", "a", "b", "c"});
  EXPECT_EQ(*done.answer, 2U);
  EXPECT_TRUE(done.consequences.effects.is_request_alone());
  EXPECT_EQ(events_of(done.consequences), Events{"fact.add"});
  EXPECT_EQ(operations_.counters().added, 2U);
}

TEST_F(FactOperationsTest, nothing_is_told_of_facts_that_were_there_or_were_not) {
  add({"a", "b", "c"});
  for (const auto& done : {add({"a", "b", "c"}), remove({"a", "b", "d"})}) {
    EXPECT_EQ(*done.answer, 0U);
    EXPECT_TRUE(done.consequences.effects.empty());
    EXPECT_TRUE(done.consequences.events.empty());
  }
}

TEST_F(FactOperationsTest, the_graph_goes_with_its_last_fact) {
  add({"a", "b", "c", "d", "b", "c"});
  EXPECT_EQ(events_of(remove({"a", "b", "c"}).consequences), Events{"fact.del"});
  const auto done = remove({"d", "b", "c", "d", "b", "c"});
  EXPECT_EQ(*done.answer, 1U);
  EXPECT_EQ(events_of(done.consequences), (Events{"fact.del", "del"}));
  EXPECT_EQ(place_.get(), nullptr);
  EXPECT_EQ(*remove({"d", "b", "c"}).answer, 0U);
}

TEST_F(FactOperationsTest, a_full_graph_takes_nothing_more) {
  limits_.facts = 2;
  add({"a", "b", "c"});
  const auto done = add({"d", "e", "f", "g", "h", "i"});
  ASSERT_FALSE(done.answer);
  EXPECT_EQ(done.answer.error().code, ErrorCode::Full);
  EXPECT_EQ(done.answer.error().text, "a graph can have 2 facts");
  EXPECT_EQ(place_.get()->size(), 1U);
  EXPECT_TRUE(add({"d", "e", "f"}).answer);
}

TEST_F(FactOperationsTest, a_page_ends_with_a_cursor_for_the_next_one_if_there_is_more) {
  for (const char* name : {"u", "v", "w", "x", "y"}) add({name, "is", "here"});
  FactFindRequest request{.question = {{}, "is", {}}, .limit = 2, .after = {}};
  std::string seen;
  for (int page = 1; page <= 3; ++page) {
    const FoundFacts found = operations_.find(place_.get(), request);
    for (const Fact& fact : found.facts) seen += place_.get()->text(fact).subject;
    EXPECT_EQ(found.has_more, page < 3);
    request.after = parse_fact_cursor(fact_cursor(found.facts.back()));
    // Removing a fact does not move the others.
    if (page == 1) remove({"v", "is", "here"});
  }
  EXPECT_EQ(seen, "uvwxy");
  EXPECT_EQ(operations_.counters().found, 5U);
}

TEST_F(FactOperationsTest, a_question_for_a_name_that_no_fact_has_finds_nothing) {
  add({"a", "b", "c"});
  EXPECT_TRUE(operations_.find(place_.get(), {.question = {"x", {}, {}}, .after = {}}).facts.empty());
  EXPECT_EQ(FactOperations::count(place_.get(), {{}, {}, "x"}), 0U);
  EXPECT_EQ(FactOperations::count(place_.get(), {}), 1U);
}

TEST_F(FactOperationsTest, a_graph_that_is_missing_has_no_facts) {
  EXPECT_EQ(FactOperations::count(nullptr, {}), 0U);
  EXPECT_TRUE(operations_.find(nullptr, {}).facts.empty());
  EXPECT_TRUE(operations_.walk(nullptr, {.start = "a", .predicate = {}, .end = {}}).nodes.empty());
}

TEST_F(FactOperationsTest, a_walk_looks_at_no_more_facts_than_its_limit) {
  limits_.walk_facts = 1;
  add({"a", "b", "c", "a", "b", "d"});
  EXPECT_EQ(operations_.walk(place_.get(), {.start = "a", .predicate = {}, .end = {}}).stop, FactWalkStop::Work);
  EXPECT_EQ(operations_.counters().walked, 1U);
}

TEST_F(FactOperationsTest, a_part_that_is_refused_makes_no_graph) {
  EXPECT_FALSE(operations_.apply(place_, {.kind = 0, .bytes = "x", .block = {}}, {}).answer);
  EXPECT_EQ(place_.get(), nullptr);
}

TEST(FactCursor, comes_back_as_it_was) {
  const Fact fact{FactName(17), FactName(3), FactName(4'294'967'294)};
  EXPECT_EQ(fact_cursor(fact), "17-3-4294967294");
  EXPECT_EQ(parse_fact_cursor("17-3-4294967294"), fact);
}

TEST(FactCursor, other_text_is_none) {
  for (const char* text :
       {"", "1", "1-2", "1-2-", "1-2-3-", "1-2-3 ", "-1-2-3", "1-2-x", "1--2-3", "1-2-4294967295", "1-2-99999999999"}) {
    EXPECT_FALSE(parse_fact_cursor(text)) << text;
  }
}

}  // namespace

}  // namespace millrace
