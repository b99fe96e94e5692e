// Random tables of filters that are added and removed: for a document, the index finds the filters that match when
// every filter is tried.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include <gtest/gtest.h>

#include <map>

#include "engine/filter/filter_index.h"
#include "tests/model/filter_model.h"
#include "tests/model/random_filters.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 25;
constexpr int kSteps = 400;
constexpr HashKey kKey = {1, 2, 3};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {}

  // Random filters of every shape, and documents after every few.
  void of_all_shapes() {
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(::testing::Message() << "step " << step);
      step < kSteps / 2 || random_.chance(3) ? add(random_.filter()) : remove();
      if (step % 10 == 0) {
        ASSERT_EQ(index_.check(), nullptr);
      }
      if (random_.chance(4)) ask(random_.document());
    }
    remove_all();
  }

  // Thousands of filters like those of a large table: conditions on ten fields, most with an equality or $in, the rest
  // only with ranges.
  void of_one_large_table() {
    for (int i = 0; i < 4000; ++i) add(table_filter());
    for (int round = 0; round < 4 && !::testing::Test::HasFailure(); ++round) {
      for (int i = 0; i < 8; ++i) ask(table_document());
      for (int i = 0; i < 500; ++i) remove();
      for (int i = 0; i < 300; ++i) add(table_filter());
      ASSERT_EQ(index_.check(), nullptr);
    }
    remove_all();
  }

  uint64_t matched() const { return matched_; }

 private:
  Json table_filter() {
    Json filter = Json::object();
    const bool has_equality = !random_.chance(10);
    if (has_equality) filter.members.emplace_back("owner", equality());
    for (uint64_t i = random_.between(1, 3); i > 0; --i) {
      const std::string name = "n" + std::to_string(random_.between(0, 8));
      const auto low = static_cast<long double>(random_.between(0, 900));
      const Json range = Json::object({{"$gte", Json::of(low)}, {"$lt", Json::of(low + 100)}});
      const bool is_there =
          std::ranges::any_of(filter.members, [&](const auto& member) { return member.first == name; });
      if (!is_there) {
        filter.members.emplace_back(name, random_.chance(4) ? Json::object({{"$gt", Json::of(low)}}) : range);
      }
    }
    return filter;
  }
  Json equality() {
    const auto owner = [&] { return Json::of("u" + std::to_string(random_.between(0, 30))); };
    return random_.chance(3) ? Json::object({{"$in", Json::array({owner(), owner(), owner()})}}) : owner();
  }
  Json table_document() {
    Json document = Json::object({{"owner", Json::of("u" + std::to_string(random_.between(0, 30)))}});
    for (int i = 0; i <= 8; ++i) {
      const auto number = [&] { return Json::of(static_cast<long double>(random_.between(0, 1000))); };
      document.members.emplace_back("n" + std::to_string(i),
                                    random_.chance(10) ? Json::array({number(), number()}) : number());
    }
    return document;
  }

  void add(const Json& filter) {
    const auto parsed = parse_filter(random_.text(filter), {.regexes = 1000});
    ASSERT_TRUE(parsed) << parsed.error().text;
    const FilterSlot slot = random_.chance(2) ? index_.add(*parsed) : add_saved(*parsed);
    ASSERT_TRUE(filters_.emplace(slot, filter).second);
    ASSERT_EQ(index_.json(slot), filter_json(*parsed));
  }

  // Like a filter that was loaded: it is compiled when a document first reaches it.
  FilterSlot add_saved(const Filter& filter) {
    FilterIndex other(kKey);
    const std::string saved = other.saved(other.add(filter));
    return index_.add_saved(*SavedFilter::read(saved), saved);
  }

  void remove() {
    if (filters_.empty()) return;
    auto gone =
        filters_.lower_bound(FilterSlot(static_cast<uint32_t>(random_.between(0, filters_.rbegin()->first.value()))));
    index_.remove(gone->first);
    filters_.erase(gone);
  }

  void remove_all() {
    while (!filters_.empty()) remove();
    ASSERT_EQ(index_.check(), nullptr);
    ASSERT_EQ(index_.size(), 0u);
    ASSERT_LE(index_.memory(), FilterIndex(kKey).memory() + 4096);
  }

  void ask(const Json& document) {
    const std::string text = random_.text(document);
    if (random_.chance(10)) index_ = index_.clone();
    uint64_t regex_work = UINT64_MAX;
    FilterMatches matches;
    index_.match(parser_.parse(text).value(), values_, regex_work, matches);
    ASSERT_TRUE(matches.failed.empty());
    std::vector<FilterSlot>& found = matches.matched;
    std::ranges::sort(found);
    std::vector<FilterSlot> expected;
    for (const auto& [slot, filter] : filters_) {
      if (FilterModel::matches(filter, document)) expected.push_back(slot);
    }
    ASSERT_EQ(found, expected) << text;
    matched_ += expected.size();
  }

  RandomFilters random_;
  FilterIndex index_{kKey};
  DocumentParser parser_;
  FieldValues values_;
  std::map<FilterSlot, Json> filters_;
  uint64_t matched_ = 0;
};

TEST(FilterIndexModel, FindsWhatTryingEveryFilterFinds) {
  run_seeds(kSeeds, [](uint64_t seed) {
    History history(seed);
    history.of_all_shapes();
    EXPECT_GT(history.matched(), 0u);
  });
}

TEST(FilterIndexModel, FindsInALargeTableWhatTryingEveryFilterFinds) {
  run_seeds(2, [](uint64_t seed) {
    History history(seed);
    history.of_one_large_table();
    EXPECT_GT(history.matched(), 0u);
  });
}

}  // namespace
}  // namespace millrace::testing
