#include "engine/lock/fencing_tokens.h"

#include <gtest/gtest.h>

#include <vector>

namespace millrace {
namespace {

constexpr UnixMs kNow{1'000'000};
constexpr uint64_t kDay = 86'400'000'000;

TEST(FencingTokens, RiseWithTheClockAndWithoutIt) {
  FencingTokens tokens;
  EXPECT_EQ(tokens.last(), Token(0));
  EXPECT_EQ(tokens.next(kNow), Token(1'000'000'000));
  EXPECT_EQ(tokens.next(kNow), Token(1'000'000'001));
  EXPECT_EQ(tokens.next(UnixMs(5)), Token(1'000'000'002)) << "a clock that was set back";
  EXPECT_EQ(tokens.next(kNow + 1), Token(1'000'001'000));
  EXPECT_EQ(tokens.last(), Token(1'000'001'000));
}

TEST(FencingTokens, ATokenFromElsewhereRaisesTheNextOne) {
  FencingTokens tokens;
  tokens.seen(Token(7'000'000'000));
  EXPECT_EQ(tokens.next(kNow), Token(7'000'000'001));
  tokens.seen(Token(3));
  EXPECT_EQ(tokens.next(kNow), Token(7'000'000'002));
}

TEST(FencingTokens, WhatIsDecadesAheadOfTheClockIsBelievedAndWhatWasSeen) {
  FencingTokens tokens;
  constexpr uint64_t kMostAhead = 50 * 365 * kDay;
  EXPECT_EQ(tokens.most_believed(kNow), Token(1'000'000'000 + kMostAhead));
  tokens.seen(Token(2 * kMostAhead));
  EXPECT_EQ(tokens.most_believed(kNow), Token(2 * kMostAhead));
  EXPECT_EQ(FencingTokens().most_believed(UnixMs(uint64_t{1} << 53)), kMaxToken);
}

TEST(FencingTokens, AMarkIsKeptBeforeATokenPassesItAndNotMoreThanOnceAMinute) {
  std::vector<Token> marks;
  FencingTokens tokens([&](Token mark) { marks.push_back(mark); });
  EXPECT_EQ(tokens.next(kNow), Token(1'000'000'000));
  EXPECT_EQ(marks, std::vector{Token(1'060'000'000)});
  tokens.next(kNow + 59'999);
  tokens.seen(Token(1'060'000'000));
  EXPECT_EQ(marks.size(), 1u);
  EXPECT_EQ(tokens.next(kNow), Token(1'060'000'001));
  EXPECT_EQ(marks.back(), Token(1'120'000'001));
  tokens.seen(Token(9 * kDay));
  EXPECT_EQ(marks.back(), Token(9 * kDay + 60'000'000));
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

}  // namespace
}  // namespace millrace
