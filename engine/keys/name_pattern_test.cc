#include "engine/keys/name_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

struct Row {
  const char* pattern;
  const char* name;
  bool matches;
};

TEST(NamePattern, MatchesAsTheHostDoes) {
  constexpr Row kRows[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "abc", true},
      {"a*c", "abc", true},
      {"a*c", "ac", true},
      {"a*c", "acb", false},
      {"*b*", "abc", true},
      {"*b*", "ac", false},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"[a-c]x", "bx", true},
      {"[c-a]x", "bx", true},
      {"[a-c]x", "dx", false},
      {"[^a-c]x", "dx", true},
      {"[^a-c]x", "ax", false},
      {"[ab]", "b", true},
      {"[\\]]", "]", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"a\\", "a\\", true},
      {"[abc", "b", true},
      {"**a**", "xxaxx", true},
      {"a*b*c", "a1b2b3c", true},
      {"a*b*c", "a1c2b", false},
      {"?", "", false},
      {"*?", "a", true},
      {"*ab", "aab", true},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(matches_pattern(row.pattern, row.name), row.matches) << row.pattern << ' ' << row.name;
  }
}

TEST(NamePattern, ManyStarsDoNotMultiply) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(matches_pattern(pattern + 'b', std::string(10'000, 'a')));
}

}  // namespace
}  // namespace millrace
