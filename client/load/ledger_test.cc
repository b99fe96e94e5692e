#include "client/load/ledger.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace millrace::client {
namespace {

using Outcome = Ledger::Outcome;

TEST(Ledger, OnlyWhatHasNoGapBeforeItIsSettled) {
  Ledger ledger({});
  const uint64_t first = ledger.enter({0, 0, 1}, {0, 10, 2});
  const uint64_t second = ledger.enter({0, 10, 2}, {0, 20, 3});
  const uint64_t third = ledger.enter({0, 20, 3}, {1, 0, 1});
  const auto tell = [](const Ledger::Entry&) {};
  ledger.settle(second, Outcome::Succeeded, "", tell);
  EXPECT_EQ(ledger.settled_up_to(), InputPosition());
  ledger.settle(first, Outcome::Succeeded, "", tell);
  EXPECT_EQ(ledger.settled_up_to(), (InputPosition{0, 20, 3}));
  EXPECT_FALSE(ledger.is_all_settled());
  ledger.settle(third, Outcome::Succeeded, "", tell);
  EXPECT_EQ(ledger.settled_up_to(), (InputPosition{1, 0, 1}));
  EXPECT_TRUE(ledger.is_all_settled());
}

TEST(Ledger, ResultsAreReportedInTheOrderOfTheInput) {
  Ledger ledger({});
  for (uint64_t i = 0; i < 4; ++i) ledger.enter({0, i, i + 1}, {0, i + 1, i + 2});
  std::vector<std::string> told;
  const auto tell = [&](const Ledger::Entry& entry) {
    told.push_back(std::to_string(entry.line) + (entry.why ? ": " + *entry.why : ""));
  };
  ledger.settle(3, Outcome::Bad, "no record", tell);
  ledger.settle(1, Outcome::Failed, "ERR", tell);
  EXPECT_TRUE(told.empty());
  ledger.settle(0, Outcome::Succeeded, "", tell);
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2: ERR"}));
  ledger.tell_the_rest(tell);
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2: ERR", "4: no record"}));
}

TEST(Ledger, WhatSucceededAheadOfTheOthersIsKnown) {
  Ledger ledger({});
  for (uint64_t i = 0; i < 4; ++i) ledger.enter({0, i, i + 1}, {0, i + 1, i + 2});
  const auto tell = [](const Ledger::Entry&) {};
  EXPECT_EQ(ledger.succeeded_up_to(), InputPosition());
  ledger.settle(0, Outcome::Succeeded, "", tell);
  EXPECT_EQ(ledger.succeeded_up_to(), ledger.settled_up_to());
  ledger.settle(3, Outcome::Bad, "no record", tell);
  EXPECT_EQ(ledger.succeeded_up_to(), ledger.settled_up_to()) << "the server has nothing of it";
  ledger.settle(2, Outcome::Succeeded, "", tell);
  EXPECT_EQ(ledger.succeeded_up_to(), (InputPosition{0, 3, 4}));
  EXPECT_EQ(ledger.settled_up_to(), (InputPosition{0, 1, 2}));
}

// Against the stupid way: a list of what is settled, looked through from its beginning.
TEST(Ledger, SettlesLikeItsModelInAnyOrder) {
  std::mt19937 random(7);
  Ledger ledger({});
  std::vector<bool> settled;
  std::vector<uint64_t> open;
  uint64_t told = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (open.empty() || random() % 2 == 0) {
      const uint64_t number = settled.size();
      ASSERT_EQ(ledger.enter({0, number, number}, {0, number + 1, 0}), number);
      settled.push_back(false);
      open.push_back(number);
    } else {
      std::swap(open[random() % open.size()], open.back());
      settled[open.back()] = true;
      ledger.settle(open.back(), Outcome::Succeeded, "",
                    [&](const Ledger::Entry& entry) { EXPECT_EQ(entry.line, told++); });
      open.pop_back();
    }
    uint64_t without_gap = ledger.settled_up_to().offset;
    EXPECT_TRUE(without_gap == settled.size() || !settled[without_gap]);
    EXPECT_TRUE(without_gap == 0 || settled[without_gap - 1]);
    ASSERT_EQ(told, without_gap);
    ASSERT_EQ(ledger.span(), settled.size() - without_gap);
  }
}

TEST(Ledger, TheCommandsOfARecordAreSettledTogether) {
  Ledger ledger({});
  std::vector<uint64_t> told;
  const auto tell = [&](const Ledger::Entry& entry) { told.push_back(entry.line); };
  const InputPosition first{.line = 1}, second{.offset = 10, .line = 2}, third{.offset = 20, .line = 3};
  const uint64_t a = ledger.enter(first, second, false), b = ledger.enter(first, second, true);
  const uint64_t c = ledger.enter(second, third, false);
  ledger.settle(c, Ledger::Outcome::Succeeded, {}, tell);
  ledger.settle(a, Ledger::Outcome::Succeeded, {}, tell);
  EXPECT_TRUE(told.empty());
  ledger.settle(b, Ledger::Outcome::Failed, "why", tell);
  EXPECT_EQ(told, (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(ledger.settled_up_to(), second);
  const uint64_t d = ledger.enter(second, third, true);
  ledger.settle(d, Ledger::Outcome::Succeeded, {}, tell);
  EXPECT_EQ(told, (std::vector<uint64_t>{1, 1, 2, 2}));
  EXPECT_EQ(ledger.settled_up_to(), third);
}

}  // namespace
}  // namespace millrace::client
