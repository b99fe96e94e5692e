// Random filters and documents: a compiled filter gives the same answer as the model, however the filter is written.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that one alone.
#include "tests/model/filter_model.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/filter/document.h"
#include "engine/filter/filter.h"
#include "engine/filter/program.h"
#include "tests/model/random_filters.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 1000;
constexpr int kDocuments = 30;

// Some are written with many repetitions.
constexpr FilterLimits kWide = {.bytes = 1 << 20, .depth = 64, .regexes = 1000};

Filter parsed(const std::string& text, FilterLimits limits = kWide) {
  auto filter = parse_filter(text, limits);
  EXPECT_TRUE(filter) << text << ": " << filter.error().text;
  return filter ? *filter : Filter();
}

TEST(FilterModel, CompiledFiltersMatchWhatTheModelMatches) {
  uint64_t matched = 0;
  uint64_t asked = 0;
  run_seeds(kSeeds, [&](uint64_t seed) {
    RandomFilters random(seed);
    const Json filter = random.filter();
    const std::string text = random.text(filter);
    SCOPED_TRACE(text);
    Fields fields;
    const Program program(parsed(text), fields);
    EXPECT_EQ(filter_json(program.filter(fields)), filter_json(parsed(text)));
    DocumentParser parser;
    FieldValues values;
    for (int i = 0; i < kDocuments; ++i) {
      const Json document = random.document();
      const std::string document_text = random.text(document);
      values.extract(parser.parse(document_text).value(), fields);
      const bool expected = FilterModel::matches(filter, document);
      Evaluation evaluation;
      ASSERT_EQ(program.matches(values, evaluation) == Verdict::Yes, expected) << document_text;
      matched += expected;
      ++asked;
    }
    program.release(fields);
    EXPECT_EQ(fields.limit(), 0u);
    EXPECT_EQ(fields.check(), nullptr);
  });
  // A test in which filters never match, or always match, would show little.
  if (!everything_has_happened()) return;
  EXPECT_GT(matched, asked / 10);
  EXPECT_LT(matched, asked - asked / 10);
}

TEST(FilterModel, AFilterWrittenInAnotherWayIsTheSameFilter) {
  run_seeds(kSeeds, [](uint64_t seed) {
    RandomFilters random(seed);
    const Json filter = random.filter();
    const std::string normal = filter_json(parsed(random.text(filter)));
    for (int i = 0; i < 5; ++i) {
      const Json again = random.rewritten(filter);
      ASSERT_EQ(filter_json(parsed(random.text(again))), normal) << random.text(again);
    }
  });
}

TEST(FilterModel, TheNormalFormIsItsOwnNormalForm) {
  run_seeds(kSeeds, [](uint64_t seed) {
    RandomFilters random(seed);
    const std::string normal = filter_json(parsed(random.text(random.filter())));
    ASSERT_EQ(filter_json(parsed(normal)), normal);
    ASSERT_EQ(filter_digest(normal).size(), 16u);
  });
}

TEST(FilterModel, TheNormalFormMeansWhatWasWritten) {
  run_seeds(kSeeds, [](uint64_t seed) {
    RandomFilters random(seed);
    const Json filter = random.filter();
    const std::string normal = filter_json(parsed(random.text(filter)));
    const Json again = parse_json(normal);
    for (int i = 0; i < kDocuments; ++i) {
      const Json document = random.document();
      ASSERT_EQ(FilterModel::matches(again, document), FilterModel::matches(filter, document))
          << random.text(filter) << "\n"
          << normal << "\n"
          << random.text(document);
    }
  });
}

TEST(FilterModel, DifferentFiltersHaveDifferentIds) {
  std::map<FilterDigest, std::string> normal_of;
  run_seeds(kSeeds, [&](uint64_t seed) {
    RandomFilters random(seed);
    const std::string normal = filter_json(parsed(random.text(random.filter())));
    const auto [found, is_new] = normal_of.emplace(filter_digest(normal), normal);
    ASSERT_EQ(found->second, normal);
  });
  EXPECT_GT(normal_of.size(), 1u);
}

}  // namespace
}  // namespace millrace::testing
