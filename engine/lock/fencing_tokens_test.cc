#include "engine/lock/fencing_tokens.h"

#include <gtest/gtest.h>

#include <vector>

namespace millrace {
namespace {

constexpr UnixMs kNow{1'000'000};
constexpr uint64_t kDay = 86'400'000'000;

TEST(FencingTokens, IncreaseWithTheClockAndWithoutIt) {
  FencingTokens tokens;
  EXPECT_EQ(tokens.last(), Token(0));
  EXPECT_EQ(tokens.next(kNow), Token(1'000'000'000));
  EXPECT_EQ(tokens.next(kNow), Token(1'000'000'001));
  EXPECT_EQ(tokens.next(UnixMs(5)), Token(1'000'000'002)) << "a clock that was set back";
  EXPECT_EQ(tokens.next(kNow + 1), Token(1'000'001'000));
  EXPECT_EQ(tokens.last(), Token(1'000'001'000));
}

TEST(FencingTokens, ATokenOfAnotherServerRaisesTheNextOne) {
  FencingTokens tokens;
  tokens.seen(Token(7'000'000'000));
  EXPECT_EQ(tokens.next(kNow), Token(7'000'000'001));
  tokens.seen(Token(3));
  EXPECT_EQ(tokens.next(kNow), Token(7'000'000'002));
}

TEST(FencingTokens, TokensDecadesAheadOfTheClockAndTokensSeenBeforeAreAccepted) {
  FencingTokens tokens;
  constexpr uint64_t kMostAhead = 50 * 365 * kDay;
  EXPECT_EQ(tokens.most_believed(kNow), Token(1'000'000'000 + kMostAhead));
  tokens.seen(Token(2 * kMostAhead));
  EXPECT_EQ(tokens.most_believed(kNow), Token(2 * kMostAhead));
  EXPECT_EQ(FencingTokens().most_believed(UnixMs(uint64_t{1} << 53)), kMaxToken);
}

TEST(FencingTokens, ANewMarkIsSavedBeforeATokenPassesTheOldOneAndNotForEachToken) {
  std::vector<Token> marks;
  FencingTokens tokens([&](Token mark) { marks.push_back(mark); });
  EXPECT_EQ(tokens.next(kNow), Token(1'000'000'000));
  EXPECT_EQ(marks, std::vector{Token(1'000'100'000)});
  tokens.next(kNow + 99);
  tokens.seen(Token(1'000'100'000));
  EXPECT_EQ(marks.size(), 1u);
  EXPECT_EQ(tokens.next(kNow), Token(1'000'100'001));
  EXPECT_EQ(marks.back(), Token(1'000'200'001));
  tokens.seen(Token(9 * kDay));
  EXPECT_EQ(marks.back(), Token(9 * kDay + 100'000));
  tokens.seen(kMaxToken);
  EXPECT_EQ(marks.back(), kMaxToken);
}

TEST(FencingTokens, TokensAreGreaterThanTheMarkTheyStartFrom) {
  std::vector<Token> marks;
  FencingTokens tokens([&](Token mark) { marks.push_back(mark); });
  tokens.start_from(Token(7'000'000'000));
  EXPECT_TRUE(marks.empty());
  EXPECT_EQ(tokens.next(kNow), Token(7'000'000'001)) << "whatever the clock says";
  EXPECT_EQ(marks.size(), 1u);
  tokens.start_from(Token(5));
  EXPECT_EQ(tokens.next(kNow), Token(7'000'000'002));
}

TEST(FencingTokens, ARestartMovesThemAtMostATenthOfASecondAheadOfTheClock) {
  Token kept;
  FencingTokens before([&](Token mark) { kept = mark; });
  before.next(kNow);
  FencingTokens after;
  after.start_from(kept);
  EXPECT_EQ(after.next(kNow + 101), Token(1'000'101'000));
}

TEST(FencingTokens, ANewMasterIssuesGreaterTokensThanThoseThatWereNotReplicated) {
  // In the second case, the clock of the old master was ahead for a while, so its tokens count up from the last one.
  for (const Token start : {Token(0), Token(7'000'000'000)}) {
    FencingTokens old, heir;
    old.start_from(start);
    heir.seen(old.next(kNow));
    Token unheard;
    for (int i = 0; i < 1000; ++i) unheard = old.next(kNow + 1);
    heir.take_over(kNow + 1);
    EXPECT_GT(heir.next(kNow + 1), unheard);
  }
  FencingTokens heir;
  heir.take_over(kNow);
  EXPECT_GT(heir.next(kNow), FencingTokens().next(kNow)) << "although it has heard of none";
}

TEST(FencingTokens, ANewMasterSavesAMarkBeforeItsFirstToken) {
  std::vector<Token> marks;
  FencingTokens tokens([&](Token mark) { marks.push_back(mark); });
  tokens.next(kNow);
  tokens.take_over(kNow);
  const Token first = tokens.next(kNow);
  EXPECT_EQ(first, Token(1'000'100'001));
  EXPECT_GT(marks.back(), first);
  tokens.seen(kMaxToken);
  tokens.take_over(kNow);
  EXPECT_EQ(tokens.last(), kMaxToken);
}

}  // namespace
}  // namespace millrace
