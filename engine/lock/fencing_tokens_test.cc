#include "engine/lock/fencing_tokens.h"

#include <gtest/gtest.h>

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

TEST(FencingTokens, ADayAheadOfTheClockIsBelievedAndWhatWasSeen) {
  FencingTokens tokens;
  EXPECT_EQ(tokens.most_believed(kNow), Token(1'000'000'000 + kDay));
  tokens.seen(Token(9 * kDay));
  EXPECT_EQ(tokens.most_believed(kNow), Token(9 * kDay));
  EXPECT_EQ(FencingTokens().most_believed(UnixMs(uint64_t{1} << 53)), kMaxToken);
}

}  // namespace
}  // namespace millrace
