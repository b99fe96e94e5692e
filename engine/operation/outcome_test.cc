// Effects keep their order, whatever is added, and are moved as a whole. Their memory is freed, which the sanitizer
// checks.
#include "engine/operation/outcome.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace millrace {
namespace {

using Told = std::vector<std::string>;

Told told(const Effects& effects) {
  Told all;
  effects.each([&] { all.emplace_back("request"); },
               [&](const Effect& effect) { all.push_back(std::string(effect.name) + " " + effect.bytes); });
  return all;
}

// Longer than the text that a string stores without an allocation.
const std::string kLong(100, 'x');

TEST(Effects, AreEmptyOrTheRequestAloneOrMore) {
  Effects effects;
  EXPECT_TRUE(effects.empty());
  EXPECT_EQ(told(effects), Told{});
  effects.add_request();
  EXPECT_TRUE(effects.is_request_alone());
  EXPECT_FALSE(effects.empty());
  EXPECT_EQ(told(effects), Told{"request"});
  effects.add("word");
  EXPECT_FALSE(effects.is_request_alone());
  EXPECT_EQ(told(effects), (Told{"request", "word "}));
}

TEST(Effects, KeepTheOrderInWhichTheyWereAdded) {
  Effects effects;
  effects.add("clock", uint64_t{17});
  effects.add("bytes", kLong);
  effects.add_request();
  effects.add_command("EVICT", 4);
  EXPECT_EQ(told(effects), (Told{"clock 17", "bytes " + kLong, "request", "EVICT 4"}));
}

TEST(Effects, MoveAndLeaveNothingBehind) {
  for (const int others : {0, 1, 3}) {
    Effects from;
    for (int i = 0; i < others; ++i) from.add("bytes", kLong);
    from.add_request();
    const Told expected = told(from);
    Effects made = std::move(from);
    EXPECT_EQ(told(made), expected);
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): it is empty, and may be used again

    Effects assigned;
    assigned.add("other", kLong);
    assigned = std::move(made);
    EXPECT_EQ(told(assigned), expected);
    assigned = Effects();
    EXPECT_TRUE(assigned.empty());
    assigned.add("again");
    EXPECT_EQ(told(assigned), Told{"again "});
  }
}

}  // namespace
}  // namespace millrace
