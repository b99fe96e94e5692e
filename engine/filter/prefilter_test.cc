#include "engine/filter/prefilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <random>

namespace millrace {
namespace {

TEST(Prefilter, ShortNumbersKeepTheOrderOfNumbers) {
  std::mt19937_64 random(7);
  const auto of_real = [](double number) { return short_number(number); };
  const auto of_whole = [](int64_t number) { return short_value(ScalarView(Number(number)), 0); };
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t one = random(), other = random() >> (random() % 64);
    const auto [less, greater] = std::minmax({std::bit_cast<int64_t>(one), std::bit_cast<int64_t>(other)});
    ASSERT_LE(of_whole(less), of_whole(greater)) << less << ' ' << greater;
    const auto [low, high] = std::minmax({std::bit_cast<double>(one), std::bit_cast<double>(other)});
    if (low <= high) {
      ASSERT_LE(of_real(low), of_real(high)) << low << ' ' << high;
    }
  }
}

TEST(Prefilter, TheOrderHoldsFromMinusInfinityToInfinity) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double ascending[] = {-kInfinity, -1e300, -1e9, -2, -1, -1e-9, 0, 1e-9, 1, 1.5, 2, 1e9, 1e300, kInfinity};
  for (size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LE(short_number(ascending[i - 1]), short_number(ascending[i])) << ascending[i];
  }
  EXPECT_LT(short_number(-1), short_number(1));
  EXPECT_LT(short_number(1), short_number(1.5));
}

TEST(Prefilter, ARangeLetsThroughWhatIsInIt) {
  const Prefilter range = {.field = 0, .low = short_number(10), .high = short_number(20)};
  ShortValues value;
  EXPECT_FALSE(range.may_be_satisfied(value)) << "nothing";
  value.add(short_number(15));
  EXPECT_TRUE(range.may_be_satisfied(value));
  value = {};
  value.add(short_number(30));
  EXPECT_FALSE(range.may_be_satisfied(value));
}

TEST(Prefilter, SeveralValuesMaySatisfyAnything) {
  const Prefilter range = {.field = 0, .low = short_number(10), .high = short_number(20)};
  ShortValues values;
  values.add(short_number(1));
  values.add(short_number(30));
  EXPECT_TRUE(range.may_be_satisfied(values)) << "one satisfies one border, the other the other";
}

TEST(Prefilter, ByDefaultADocumentWithoutValuesSatisfiesIt) {
  EXPECT_TRUE(Prefilter().may_be_satisfied(ShortValues()));
}

}  // namespace
}  // namespace millrace
