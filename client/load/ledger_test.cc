#include "client/load/ledger.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace millrace::client {
namespace {

TEST(Ledger, OnlyWhatHasNoGapBeforeItIsSettled) {
  Ledger ledger({});
  const uint64_t first = ledger.enter({0, 0, 1}, {0, 10, 2});
  const uint64_t second = ledger.enter({0, 10, 2}, {0, 20, 3});
  const uint64_t third = ledger.enter({0, 20, 3}, {1, 0, 1});
  ledger.settle(second);
  EXPECT_EQ(ledger.settled_up_to(), InputPosition());
  EXPECT_EQ(ledger.line(third), 3U);
  ledger.settle(first);
  EXPECT_EQ(ledger.settled_up_to(), (InputPosition{0, 20, 3}));
  EXPECT_FALSE(ledger.is_all_settled());
  ledger.settle(third);
  EXPECT_EQ(ledger.settled_up_to(), (InputPosition{1, 0, 1}));
  EXPECT_TRUE(ledger.is_all_settled());
}

// Against the stupid way: a list of what is settled, looked through from its beginning.
TEST(Ledger, SettlesLikeItsModelInAnyOrder) {
  std::mt19937 random(7);
  Ledger ledger({});
  std::vector<bool> settled;
  std::vector<uint64_t> open;
  for (int step = 0; step < 20'000; ++step) {
    if (open.empty() || random() % 2 == 0) {
      const uint64_t number = settled.size();
      ASSERT_EQ(ledger.enter({0, number, number}, {0, number + 1, 0}), number);
      settled.push_back(false);
      open.push_back(number);
    } else {
      std::swap(open[random() % open.size()], open.back());
      settled[open.back()] = true;
      ledger.settle(open.back());
      open.pop_back();
    }
    uint64_t without_gap = ledger.settled_up_to().offset;
    EXPECT_TRUE(without_gap == settled.size() || !settled[without_gap]);
    EXPECT_TRUE(without_gap == 0 || settled[without_gap - 1]);
    ASSERT_EQ(ledger.span(), settled.size() - without_gap);
  }
}

}  // namespace
}  // namespace millrace::client
