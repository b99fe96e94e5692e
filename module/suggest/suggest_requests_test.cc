#include "module/suggest/suggest_requests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "module/suggest/score_text.h"
#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

TEST(SuggestRequests, AddIncrementsByOneByDefault) {
  const struct {
    ByteView line;
    bool sets;
    double amount;
  } rows[] = {
      {"tea", false, 1},
      {"tea INCR 2", false, 2},
      {"tea incr 0.5", false, 0.5},
      {"tea SCORE 7", true, 7},
      {"tea score 1e3", true, 1000},
      {"tea SCORE 0", true, 0},
      {"tea INCR 100000000000", false, kMaxScore},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto words = words_of(row.line);
    const auto request = parse_sug_add(words);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->term, "tea");
    EXPECT_EQ(request->sets, row.sets);
    EXPECT_EQ(request->amount, row.amount);
  }
  EXPECT_EQ(parse_sug_add(words_of("SCORE"))->term, "SCORE");
}

TEST(SuggestRequests, AddRefusesWhatItDoesNotKnow) {
  const ErrorRow rows[] = {
      {"no term", "", kSyntax, "missing term"},
      {"an empty term", " INCR 1", kRange, "the term has 0 bytes, expected 1 to 512"},
      {"no number", "tea INCR", kSyntax, "missing INCR"},
      {"not a number", "tea SCORE x", kRange, "invalid SCORE 'x': expected a number from 0 to 100000000000"},
      {"nan", "tea SCORE nan", kRange, "invalid SCORE 'nan': expected a number from 0 to 100000000000"},
      {"infinite", "tea INCR inf", kRange, "invalid INCR 'inf': expected a number from 0 to 100000000000"},
      {"below nothing", "tea INCR -1", kRange, "invalid INCR '-1': expected a number from 0 to 100000000000"},
      {"too much", "tea SCORE 100000000001", kRange,
       "invalid SCORE '100000000001': expected a number from 0 to 100000000000"},
      {"something behind it", "tea SCORE 1x", kRange, "invalid SCORE '1x': expected a number from 0 to 100000000000"},
      {"both", "tea SCORE 1 INCR 1", kSyntax, "INCR and SCORE can be given once, and exclude each other"},
      {"another word", "tea 5", kSyntax, "syntax error: expected INCR or SCORE, found '5'"},
  };
  expect_errors(parse_sug_add, rows);
}

TEST(SuggestRequests, GetTakesItsOptionsInAnyOrderAndCase) {
  const auto plain = parse_sug_get(words_of("te"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->prefix.text, "te");
  EXPECT_EQ(plain->limit, 10u);
  EXPECT_FALSE(plain->prefix.allows_a_mistake || plain->prefix.ignores_case || plain->with_scores);
  const auto all = parse_sug_get(words_of("te nocase WithScores FUZZY limit 10000"));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->limit, 10000u);
  EXPECT_TRUE(all->prefix.allows_a_mistake && all->prefix.ignores_case && all->with_scores);
  EXPECT_EQ(parse_sug_get(std::vector<ByteView>{""})->prefix.text, "");
}

TEST(SuggestRequests, GetRefusesWhatItDoesNotKnow) {
  const ErrorRow rows[] = {
      {"no prefix", "", kSyntax, "missing prefix"},
      {"no limit", "te LIMIT 0", kRange, "invalid LIMIT '0': expected an integer from 1 to 10000"},
      {"a huge limit", "te LIMIT 10001", kRange, "invalid LIMIT '10001': expected an integer from 1 to 10000"},
      {"an option twice", "te FUZZY FUZZY", kSyntax, "FUZZY is given twice"},
      {"another word", "te x", kSyntax, "syntax error: expected LIMIT, FUZZY, WITHSCORES or NOCASE, found 'x'"},
  };
  expect_errors(parse_sug_get, rows);
  const std::string too_long(kMaxTerm + 1, 'x');
  EXPECT_EQ(parse_sug_get(std::vector<ByteView>{too_long}).error().text, "the prefix has 513 bytes, expected 0 to 512");
}

TEST(SuggestRequests, DelTakesTerms) {
  const auto words = words_of("a b LIMIT");
  const auto terms = parse_sug_del(words);
  ASSERT_TRUE(terms);
  EXPECT_EQ(std::vector(terms->begin(), terms->end()), words);
  const ErrorRow rows[] = {
      {"none", "", kSyntax, "missing term"},
      {"an empty one", "a ", kRange, "the term has 0 bytes, expected 1 to 512"},
  };
  expect_errors(parse_sug_del, rows);
}

TEST(SuggestRequests, DecayTakesAPercentage) {
  EXPECT_EQ(parse_sug_decay(words_of("10")), 10);
  EXPECT_EQ(parse_sug_decay(words_of("0.001")), 0.001);
  EXPECT_EQ(parse_sug_decay(words_of("99.999")), 99.999);
  const ErrorRow rows[] = {
      {"none", "", kSyntax, "missing percent"},
      {"nothing", "0", kRange, "invalid percent '0': expected a number from 0.001 to 99.999"},
      {"everything", "100", kRange, "invalid percent '100': expected a number from 0.001 to 99.999"},
      {"not a number", "10%", kRange, "invalid percent '10%': expected a number from 0.001 to 99.999"},
      {"one more", "10 10", kSyntax, "syntax error: expected nothing more, found '10'"},
  };
  expect_errors(parse_sug_decay, rows);
}

TEST(SuggestRequests, AnEffectIsAPart) {
  const auto effect = parse_sug_apply(words_of("terms bytes"));
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->bytes, "bytes");
  const ErrorRow rows[] = {
      {"no part", "TERMS", kSyntax, "missing part"},
      {"another word", "CLOCK 1", kSyntax, "syntax error: expected TERMS, found 'CLOCK'"},
  };
  expect_errors(parse_sug_apply, rows);
}

TEST(ScoreText, HasTwelveDigitsAtMost) {
  EXPECT_EQ(score_text(0), "0");
  EXPECT_EQ(score_text(5), "5");
  EXPECT_EQ(score_text(4.5), "4.5");
  EXPECT_EQ(score_text(kMaxScore), "100000000000");
  EXPECT_EQ(score_text(1.0 / 3), "0.333333333333");
  EXPECT_EQ(score_text(5 / 0.9 * 0.9), "5");
}

}  // namespace
}  // namespace millrace::module
