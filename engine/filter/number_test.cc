#include "engine/filter/number.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace millrace {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

TEST(Number, AWholeDoubleIsTheWholeNumber) {
  EXPECT_EQ(Number(1.0), Number(int64_t{1}));
  EXPECT_EQ(Number(-0.0), Number(int64_t{0}));
  EXPECT_TRUE(Number(-0.0).is_whole());
  EXPECT_TRUE(Number(-9223372036854775808.0).is_whole());
  EXPECT_EQ(Number(-9223372036854775808.0), Number(kSmallest));
}

TEST(Number, FromTwoToThe63OnIsADouble) {
  EXPECT_FALSE(Number(9223372036854775808.0).is_whole());
  EXPECT_FALSE(Number(-9223372036854777856.0).is_whole());
  EXPECT_FALSE(Number(1.5).is_whole());
  EXPECT_FALSE(Number(1e308).is_whole());
}

TEST(Number, AllAreInOneOrder) {
  // Neighbours that are the same as doubles are among them.
  const std::vector<Number> ascending{
      Number(-1e308),
      Number(-9223372036854777856.0),
      Number(kSmallest),
      Number(kSmallest + 1),
      Number(int64_t{-2}),
      Number(-1.5),
      Number(int64_t{0}),
      Number(5e-324),
      Number(int64_t{1}),
      Number(1.0000000000000002),
      Number(int64_t{9007199254740992}),
      Number(int64_t{9007199254740993}),
      Number(kLargest - 1),
      Number(kLargest),
      Number(9223372036854775808.0),
      Number(1e308),
  };
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      SCOPED_TRACE(::testing::Message() << i << " and " << j);
      EXPECT_EQ(ascending[i] < ascending[j], i < j);
      EXPECT_EQ(ascending[i] == ascending[j], i == j);
    }
  }
}

}  // namespace
}  // namespace millrace
