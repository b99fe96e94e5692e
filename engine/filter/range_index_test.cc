#include "engine/filter/range_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>

namespace millrace {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Asking {
 public:
  Asking() {
    for (const char* path : {"x", "y", "z"}) fields_.use(path);
  }

  std::vector<FilterSlot> candidates(const RangeIndex& index, const std::string& json) {
    values_.extract(parser_.parse(json).value(), fields_);
    std::vector<FilterSlot> found;
    index.each_candidate(values_, [&](FilterSlot slot) { found.push_back(slot); });
    std::ranges::sort(found);
    return found;
  }
  FieldId field(const char* path) const { return fields_.find(path); }

 private:
  Fields fields_;
  DocumentParser parser_;
  FieldValues values_;
};

std::vector<FilterSlot> slots(std::initializer_list<uint32_t> numbers) {
  std::vector<FilterSlot> slots;
  for (uint32_t number : numbers) slots.emplace_back(number);
  return slots;
}

TEST(RangeIndex, ANumberFindsThoseWhoseBoundsItKeeps) {
  Asking ask;
  RangeIndex index;
  index.add(FilterSlot(1), {{ask.field("x"), 0, 10}});
  index.add(FilterSlot(2), {{ask.field("x"), 20, kInfinity}});
  index.add(FilterSlot(3), {{ask.field("x"), -kInfinity, 30}, {ask.field("y"), 5, 6}});
  index.add(FilterSlot(4), {});
  EXPECT_EQ(ask.candidates(index, R"({"x":5})"), slots({1, 4}));
  EXPECT_EQ(ask.candidates(index, R"({"x":25})"), slots({2, 4}));
  EXPECT_EQ(ask.candidates(index, R"({"x":25,"y":5.5})"), slots({2, 3, 4}));
  EXPECT_EQ(index.check(), nullptr);
}

TEST(RangeIndex, WhatIsMissingOrNoNumberKeepsNoBounds) {
  Asking ask;
  RangeIndex index;
  index.add(FilterSlot(1), {{ask.field("x"), -kInfinity, 10}});
  index.add(FilterSlot(2), {});
  for (const char* json : {"{}", R"({"x":"5"})", R"({"x":null})", R"({"x":[]})", R"({"x":{"y":5}})"}) {
    EXPECT_EQ(ask.candidates(index, json), slots({2})) << json;
  }
}

TEST(RangeIndex, OfSeveralNumbersEachMayKeepOneBorder) {
  Asking ask;
  RangeIndex index;
  index.add(FilterSlot(1), {{ask.field("x"), 10, 5}});  // x > 10 and x < 5
  EXPECT_EQ(ask.candidates(index, R"({"x":[1,20]})"), slots({1}));
}

TEST(RangeIndex, TakesBackWhatWasRemoved) {
  Asking ask;
  RangeIndex index;
  index.add(FilterSlot(7), {{ask.field("x"), 0, 10}});
  EXPECT_FALSE(index.remove(FilterSlot(8)));
  EXPECT_TRUE(index.remove(FilterSlot(7)));
  EXPECT_FALSE(index.remove(FilterSlot(7)));
  EXPECT_TRUE(index.empty());
  EXPECT_EQ(ask.candidates(index, R"({"x":5})"), slots({}));
  EXPECT_EQ(index.check(), nullptr);
}

// No matching filter is left out, and with finely cut bounds only neighbouring ones are found in addition.
TEST(RangeIndex, RandomBoundsAgreeWithAList) {
  std::mt19937_64 random(1);
  Asking ask;
  RangeIndex index;
  std::map<FilterSlot, std::vector<Bound>> model;
  size_t exact = 0;
  size_t found = 0;
  for (uint32_t step = 0; step < 6000; ++step) {
    const bool grows = step < 3000;
    if (!index.is_full() && random() % 4 < (grows ? 3 : 1)) {
      std::vector<Bound> bounds;
      for (const char* path : {"x", "y", "z"}) {
        if (random() % 2 == 0) continue;
        const auto low = static_cast<double>(random() % 1000);
        const bool is_open = random() % 3 == 0;
        bounds.push_back({ask.field(path), low, is_open ? kInfinity : low + static_cast<double>(random() % 50)});
      }
      model[FilterSlot(step)] = bounds;
      index.add(FilterSlot(step), std::move(bounds));
    } else if (!model.empty()) {
      const auto gone = std::next(model.begin(), static_cast<ptrdiff_t>(random() % model.size()));
      ASSERT_TRUE(index.remove(gone->first));
      model.erase(gone);
    }
    ASSERT_EQ(index.size(), model.size());
    if (step % 20 != 0) continue;
    ASSERT_EQ(index.check(), nullptr);
    const std::map<FieldId, double> numbers{{ask.field("x"), static_cast<double>(random() % 1000)},
                                            {ask.field("y"), static_cast<double>(random() % 1000)}};
    const auto candidates = ask.candidates(index, "{\"x\":" + std::to_string(numbers.at(ask.field("x"))) +
                                                      ",\"y\":" + std::to_string(numbers.at(ask.field("y"))) + "}");
    for (const auto& [slot, bounds] : model) {
      const bool keeps = std::ranges::all_of(bounds, [&](const Bound& bound) {
        const auto number = numbers.find(bound.field);
        return number != numbers.end() && bound.low <= number->second && number->second <= bound.high;
      });
      ASSERT_TRUE(!keeps || std::ranges::binary_search(candidates, slot));
      exact += keeps;
    }
    found += candidates.size();
  }
  EXPECT_GT(exact, 1000u);
  EXPECT_LT(found, 2 * exact);
}

}  // namespace
}  // namespace millrace
