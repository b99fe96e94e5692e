#include "engine/filter/filter_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace millrace {
namespace {

constexpr HashKey kKey = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

class IndexTest : public ::testing::Test {
 protected:
  FilterSlot add(const std::string& json) {
    const FilterSlot slot = index_.add(parse_filter(json).value());
    EXPECT_EQ(index_.check(), nullptr);
    return slot;
  }
  void remove(FilterSlot slot) {
    index_.remove(slot);
    EXPECT_EQ(index_.check(), nullptr);
  }
  std::vector<FilterSlot> matches(const std::string& json) {
    uint64_t regex_work = UINT64_MAX;
    FilterMatches found;
    index_.match(parser_.parse(json).value(), values_, regex_work, found);
    EXPECT_TRUE(found.failed.empty());
    std::ranges::sort(found.matched);
    return found.matched;
  }
  // Of one document, with so much work for regular expressions.
  FilterMatches matches_within(uint64_t regex_work, const std::string& json) {
    FilterMatches found;
    index_.match(parser_.parse(json).value(), values_, regex_work, found);
    return found;
  }
  FilterSlot add_saved(const std::string& saved) {
    const FilterSlot slot = index_.add_saved(*SavedFilter::read(saved), saved);
    EXPECT_EQ(index_.check(), nullptr);
    return slot;
  }

  FilterIndex index_{kKey};
  DocumentParser parser_;
  FieldValues values_;
};

using Slots = std::vector<FilterSlot>;

TEST_F(IndexTest, OfNothingFindsNothing) {
  EXPECT_EQ(matches(R"({"a":1})"), Slots{});
  EXPECT_EQ(index_.size(), 0u);
  EXPECT_EQ(index_.check(), nullptr);
}

TEST_F(IndexTest, FindsFiltersByAnEqualityByBoundsAndByNeither) {
  const FilterSlot equal = add(R"({"a":1,"b":{"$gt":5}})");
  const FilterSlot list = add(R"({"a":{"$in":[1,2,3]}})");
  const FilterSlot range = add(R"({"b":{"$gte":5,"$lt":10}})");
  const FilterSlot negated = add(R"({"$not":{"a":1}})");
  const FilterSlot either = add(R"({"$or":[{"a":7},{"c":"x"}]})");
  const FilterSlot all = add("{}");
  EXPECT_EQ(matches(R"({"a":1,"b":6})"), (Slots{equal, list, range, all}));
  EXPECT_EQ(matches(R"({"a":1,"b":5})"), (Slots{list, range, all}));
  EXPECT_EQ(matches(R"({"a":7,"c":"x"})"), (Slots{negated, either, all}));
  EXPECT_EQ(matches("{}"), (Slots{negated, all}));
}

TEST_F(IndexTest, AFilterIsFoundOnceHoweverManyElementsLeadToIt) {
  const FilterSlot slot = add(R"({"tags":{"$in":["a","b","c"]}})");
  EXPECT_EQ(matches(R"({"tags":["c","a","a","b","x"]})"), (Slots{slot}));
}

TEST_F(IndexTest, OneRemovedDoesNotTakeAnotherWithIt) {
  const FilterSlot one = add(R"({"a":1,"b":1})");
  const FilterSlot other = add(R"({"a":1,"b":2})");
  const FilterSlot third = add(R"({"a":{"$gt":0}})");
  remove(one);
  EXPECT_EQ(matches(R"({"a":1,"b":1})"), (Slots{third}));
  EXPECT_EQ(matches(R"({"a":1,"b":2})"), (Slots{other, third}));
  remove(third);
  EXPECT_EQ(matches(R"({"a":1,"b":2})"), (Slots{other}));
}

// What is looked at before a filter is fetched must not hide one that matches.
TEST_F(IndexTest, APrefilterHidesNoFilterThatMatches) {
  const FilterSlot text = add(R"({"a":1,"b":"x"})");
  const FilterSlot number = add(R"({"a":1,"b":2})");
  const FilterSlot range = add(R"({"a":1,"c":{"$gte":10,"$lte":1e300}})");
  const FilterSlot small = add(R"({"a":1,"c":{"$gt":-1e300,"$lt":-10}})");
  const FilterSlot same_field = add(R"({"$and":[{"a":1},{"a":2}]})");
  EXPECT_EQ(matches(R"({"a":1,"b":"x"})"), (Slots{text}));
  EXPECT_EQ(matches(R"({"a":1,"b":2.0})"), (Slots{number}));
  EXPECT_EQ(matches(R"({"a":1,"b":["y",2,"x"]})"), (Slots{text, number}));
  EXPECT_EQ(matches(R"({"a":1,"c":10})"), (Slots{range}));
  EXPECT_EQ(matches(R"({"a":1,"c":9.999999})"), Slots{});
  EXPECT_EQ(matches(R"({"a":1,"c":1e300})"), (Slots{range}));
  EXPECT_EQ(matches(R"({"a":1,"c":-10})"), Slots{});
  EXPECT_EQ(matches(R"({"a":1,"c":[-11,"x"]})"), (Slots{small}));
  EXPECT_EQ(matches(R"({"a":1,"c":"10"})"), Slots{});
  EXPECT_EQ(matches(R"({"a":[1,2]})"), (Slots{same_field}));
}

TEST_F(IndexTest, WhatADocumentHeldIsForgottenBeforeTheNext) {
  const FilterSlot slot = add(R"({"a":1,"b":"x"})");
  EXPECT_EQ(matches(R"({"a":1,"b":"x"})"), (Slots{slot}));
  EXPECT_EQ(matches(R"({"a":1})"), Slots{});
  EXPECT_EQ(matches(R"({"a":1,"b":"y"})"), Slots{});
  EXPECT_EQ(matches(R"({"a":1,"b":"x"})"), (Slots{slot}));
}

TEST_F(IndexTest, ASlotIsUsedAgain) {
  const FilterSlot first = add(R"({"a":1})");
  add(R"({"a":2})");
  remove(first);
  EXPECT_EQ(add(R"({"a":3})"), first);
  EXPECT_EQ(matches(R"({"a":1})"), Slots{});
  EXPECT_EQ(matches(R"({"a":3})"), (Slots{first}));
}

TEST_F(IndexTest, ReturnsTheFilterOfASlot) {
  const FilterSlot slot = add(R"({"b":{"in":[2,1]},"a":"x"})");
  EXPECT_EQ(index_.json(slot), R"({"a":{"$eq":"x"},"b":{"$in":[1,2]}})");
}

TEST_F(IndexTest, AFilterWithALongListIsFoundAlthoughItsValuesAreNotIndexed) {
  std::string list;
  for (int i = 0; i < 1000; ++i) list += (i > 0 ? "," : "") + std::to_string(i);
  const FilterSlot slot = add(R"({"a":{"$in":[)" + list + "]}}");
  EXPECT_EQ(matches(R"({"a":999})"), (Slots{slot}));
  EXPECT_EQ(matches(R"({"a":1000})"), Slots{});
  remove(slot);
  EXPECT_EQ(matches(R"({"a":999})"), Slots{});
}

TEST_F(IndexTest, MemoryComesBackWhenFiltersGo) {
  const uint64_t before = index_.memory();
  std::vector<FilterSlot> slots;
  for (int i = 0; i < 20'000; ++i) {
    const std::string number = std::to_string(i);
    const std::string json = i % 10 == 0   ? R"({"n":{"$gte":)" + number + R"(},"m":{"$lt":7}})"
                             : i % 10 == 1 ? R"({"f)" + number + R"(":{"$exists":true}})"
                                           : R"({"owner":"u)" + number + R"(","kind":{"$in":["a","b"]}})";
    slots.push_back(index_.add(parse_filter(json).value()));
  }
  ASSERT_EQ(index_.check(), nullptr);
  const uint64_t full = index_.memory();
  EXPECT_GT(full, 20'000 * 100u);
  EXPECT_EQ(matches(R"({"n":5000,"m":6})").size(), 501u);
  for (size_t i = 0; i < slots.size() - 100; ++i) index_.remove(slots[i]);
  ASSERT_EQ(index_.check(), nullptr);
  // A slot is kept, what was in it is not.
  EXPECT_LT(index_.memory(), full / 2);
  for (size_t i = slots.size() - 100; i < slots.size(); ++i) index_.remove(slots[i]);
  ASSERT_EQ(index_.check(), nullptr);
  EXPECT_EQ(index_.size(), 0u);
  EXPECT_LE(index_.memory(), before + 4096);
}

// A thousand filters want what an array says thousands of times.
TEST_F(IndexTest, AnArrayThatLeadsToManyFiltersOverAndOverTakesNoMemory) {
  for (int i = 0; i < 1000; ++i) index_.add(parse_filter(R"({"a":"x","n":{"$ne":)" + std::to_string(i) + "}}").value());
  std::string list = "\"x\"";
  for (int i = 0; i < 9'000; ++i) list += ",\"x\"";
  const uint64_t before = index_.memory();
  EXPECT_EQ(matches(R"({"n":5,"a":[)" + list + "]}").size(), 999u);
  EXPECT_LE(index_.memory(), before + 4096);
}

TEST_F(IndexTest, ManyFieldsOfOneFilterAreMadeAndForgotten) {
  std::string json;
  for (int i = 0; i < 3000; ++i) json += (i > 0 ? "," : "") + ("\"f" + std::to_string(i)) + "\":{\"$gt\":1}";
  const FilterSlot slot = add("{" + json + "}");
  EXPECT_LT(index_.memory(), 2'000'000u);
  EXPECT_EQ(matches(R"({"f0":2})"), Slots{});
  remove(slot);
  EXPECT_EQ(index_.fields().limit(), 0u);
}

TEST_F(IndexTest, AFilterThatWasSavedIsCompiledWhenADocumentLeadsToIt) {
  const FilterSlot first = add_saved(saved_filter(R"({"a":{"$eq":1},"b":{"$gt":5}})",
                                                  {{"a", {ScalarKind::Number, false, Number(int64_t{1}), {}}}}, {}));
  const FilterSlot second = add_saved(saved_filter(R"({"n":{"$lt":7}})", {}, {{"n", -1e308, 7.5}}));
  EXPECT_EQ(index_.count_compiled(), 0u);
  EXPECT_EQ(matches(R"({"a":2,"b":6})"), Slots());
  EXPECT_EQ(index_.count_compiled(), 0u);
  EXPECT_EQ(matches(R"({"a":1,"b":6})"), Slots{first});
  EXPECT_EQ(index_.count_compiled(), 1u);
  EXPECT_EQ(index_.check(), nullptr);
  EXPECT_EQ(matches(R"({"n":6})"), Slots{second});
  EXPECT_EQ(index_.json(first), R"({"a":{"$eq":1},"b":{"$gt":5}})");
  remove(first);
  remove(second);
  EXPECT_EQ(index_.fields().limit(), 0u);
}

TEST_F(IndexTest, FiltersThatWereSavedAreCompiledAFewAtATime) {
  FilterIndex other(kKey);
  std::vector<FilterSlot> slots;
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    const std::string json = i % 2 == 0 ? R"({"a":)" + number + "}" : R"({"b":{"$regex":"x)" + number + R"($"},"d":1})";
    slots.push_back(add_saved(other.saved(other.add(parse_filter(json).value()))));
  }
  const FilterSlot broken = add_saved(saved_filter(R"({"a":)", {}, {{"c", 0, 1}}));
  remove(slots[1]);
  EXPECT_TRUE(index_.compile_some(10));
  EXPECT_EQ(index_.count_compiled(), 10u);
  EXPECT_EQ(matches(R"({"a":90})"), Slots{slots[90]});
  EXPECT_EQ(index_.count_compiled(), 11u);
  FilterIndex copy = index_.clone();
  EXPECT_FALSE(copy.compile_some(1000));
  EXPECT_EQ(copy.count_compiled(), 199u);
  EXPECT_STREQ(copy.check(), nullptr);
  int calls = 1;
  for (; index_.compile_some(10); ++calls) ASSERT_STREQ(index_.check(), nullptr);
  EXPECT_EQ(calls, 19);
  EXPECT_FALSE(index_.compile_some(10));
  EXPECT_EQ(matches_within(1000, R"({"b":"x3","c":1})").failed.front().filter, broken);
  // One that comes later, in a slot before.
  EXPECT_EQ(add_saved(other.saved(other.add(parse_filter(R"({"a":1})").value()))), slots[1]);
  EXPECT_FALSE(index_.compile_some(10));
  EXPECT_EQ(index_.count_compiled(), 200u);
}

TEST_F(IndexTest, WhatWasSavedAndIsNoFilterFailsAlone) {
  const std::vector<Equality> by_a = {{"a", {ScalarKind::Number, false, Number(int64_t{1}), {}}}};
  add(R"({"a":1})");
  const Slots broken = {add_saved(saved_filter(R"({"a":)", by_a, {})),
                        add_saved(saved_filter(R"({ "a" : 1 })", by_a, {})),
                        add_saved(saved_filter(R"({"b":{"$eq":1}})", by_a, {})),
                        add_saved(saved_filter(R"({"b":{"$eq":1}})", {}, {{"c", 0, 1}}))};
  for (int i = 0; i < 2; ++i) {
    const FilterMatches found = matches_within(0, R"({"a":1,"b":1,"c":1})");
    EXPECT_EQ(found.matched.size(), 1u);
    ASSERT_EQ(found.failed.size(), broken.size());
    for (const auto& each : found.failed) EXPECT_EQ(each.trouble, Trouble::Unreadable);
  }
  for (const FilterSlot slot : broken) remove(slot);
}

// An equality by which the filter is found, in thousands of places of the filter.
TEST_F(IndexTest, AFilterThatRepeatsAnEqualityIsSavedWithItOnce) {
  std::string branches;
  for (char field = 'A'; field <= 'Z'; ++field) {
    for (int value = 10; value < 90; ++value) {
      for (const char* second : {"", "x"}) {
        if (!branches.empty()) branches += ',';
        branches += R"({"a":1,")" + (second + std::string(1, field)) + "\":" + std::to_string(value) + "}";
      }
    }
  }
  const std::string json = R"({"a":1,"$or":[)" + branches + "]}";
  ASSERT_LE(json.size(), FilterLimits().bytes);
  const FilterSlot slot = add(json);
  const std::string saved = index_.saved(slot);
  const auto read = SavedFilter::read(saved);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->equalities().size(), 1u);
  const FilterSlot again = add_saved(saved);
  EXPECT_EQ(matches(R"({"a":1,"xZ":89})"), (Slots{slot, again}));
  remove(slot);
  remove(again);
  EXPECT_EQ(index_.fields().limit(), 0u);
}

TEST_F(IndexTest, RegularExpressionsThatCostLeastAreRunFirst) {
  const FilterSlot costly = add(R"({"a":{"$regex":"(?:a?b?){50}c"}})");
  const FilterSlot cheap = add(R"({"a":{"$regex":"b$"}})");
  const std::string document = R"({"a":")" + std::string(100, 'b') + R"("})";
  const FilterMatches found = matches_within(1000, document);
  EXPECT_EQ(found.matched, Slots{cheap});
  ASSERT_EQ(found.failed.size(), 1u);
  EXPECT_EQ(found.failed.front().filter, costly);
  EXPECT_EQ(found.failed.front().trouble, Trouble::RegexWork);
  EXPECT_TRUE(matches_within(1'000'000, document).failed.empty());
  const std::string longer = R"({"a":")" + std::string(4000, 'b') + R"("})";
  EXPECT_EQ(matches_within(UINT64_MAX, longer).failed.size(), 1u) << "one filter has a limit of its own";
}

TEST_F(IndexTest, RegularExpressionsThatEveryDocumentLeadsToAreCompiledAtOnce) {
  add(R"({"a":{"$regex":"x"}})");
  add(R"({"$or":[{"a":{"$regex":"y"}},{"b":{"$regex":"z"}}]})");
  EXPECT_EQ(index_.count_regexes(), 3u);
}

TEST_F(IndexTest, RegularExpressionsOfOneFilterOfManyAreCompiledAtOnce) {
  constexpr size_t kFew = 63;
  const auto filter = [](size_t i) { return R"({"a":1,"b":{"$regex":"x)" + std::to_string(i) + "\"}}"; };
  for (size_t i = 0; i < kFew; ++i) add(filter(i));
  EXPECT_EQ(index_.count_regexes(), 0u);
  add(filter(kFew));
  EXPECT_EQ(index_.count_regexes(), 1u);
  add(R"({"a":2,"b":{"$regex":"x"}})");
  EXPECT_EQ(index_.count_regexes(), 1u);
  EXPECT_EQ(matches(R"({"a":1,"b":"x7"})").size(), 1u);
  EXPECT_EQ(index_.count_regexes(), kFew + 1);
}

TEST_F(IndexTest, ACloneFindsTheSameAndIsNotChangedWithItsOriginal) {
  const FilterSlot first = add(R"({"a":1,"t":{"$regex":"^x"}})");
  const FilterSlot second = add(R"({"n":{"$gt":5}})");
  FilterIndex original = std::exchange(index_, index_.clone());
  original.remove(first);
  EXPECT_EQ(index_.check(), nullptr);
  EXPECT_EQ(matches(R"({"a":1,"t":"xy","n":6})"), (Slots{first, second}));
}

}  // namespace
}  // namespace millrace
