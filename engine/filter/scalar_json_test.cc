#include "engine/filter/scalar_json.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

std::string json(const ScalarView& value) {
  std::string text;
  append_json(text, value);
  return text;
}
std::string number(double value) { return json(ScalarView(Number(value))); }

TEST(ScalarJson, OfValues) {
  EXPECT_EQ(json(ScalarView()), "null");
  EXPECT_EQ(json(ScalarView(true)), "true");
  EXPECT_EQ(json(ScalarView(false)), "false");
  EXPECT_EQ(json(ScalarView(Number(INT64_MIN))), "-9223372036854775808");
}

TEST(ScalarJson, EscapesOnlyWhatItMust) {
  EXPECT_EQ(json(ScalarView(ByteView("a\"b\\c/d"))), R"("a\"b\\c/d")");
  EXPECT_EQ(json(ScalarView(ByteView("\n\r\t\b\x1f"))), R"("\n\r\t\u0008\u001f")");
  EXPECT_EQ(json(ScalarView(ByteView("\0", 1))), R"("\u0000")");
  EXPECT_EQ(json(ScalarView(ByteView("é😀\x7f"))), "\"é😀\x7f\"");
}

TEST(ScalarJson, NumbersAreAsShortAsTheyCanBe) {
  EXPECT_EQ(number(1.0), "1");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(1.5), "1.5");
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(1e18), "1000000000000000000");
  EXPECT_EQ(number(1e-7), "1e-07");
}

// Twenty digits are no whole number of 64 bits, and parsers refuse them.
TEST(ScalarJson, LargeNumbersHaveAnExponent) {
  EXPECT_EQ(number(9223372036854775808.0), "9.223372036854776e+18");
  EXPECT_EQ(number(18446744073709551616.0), "1.8446744073709552e+19");
  EXPECT_EQ(number(-18446744073709551616.0), "-1.8446744073709552e+19");
  EXPECT_EQ(number(1e300), "1e+300");
}

}  // namespace
}  // namespace millrace
