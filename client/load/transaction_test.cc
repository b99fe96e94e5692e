#include "client/load/transaction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::client {
namespace {

using Part = TransactionPart;
using Verdict = ReplyReader::Verdict;

constexpr Verdict kQueued{};
constexpr Verdict kRefused{.is_error = true, .error = "ERR refused"};

std::string text(const Verdict& verdict) { return verdict.is_error ? std::string(verdict.error) : "fine"; }

// The results of the commands, MULTI first, and of the end.
std::vector<std::string> outcomes(Part end, std::string_view reply, const std::vector<Verdict>& answers) {
  ReplyReader reader;
  reader.feed(reply);
  TransactionOutcome outcome(end, **reader.next());
  std::vector<std::string> texts;
  for (const Verdict& answer : answers) texts.push_back(text(outcome.of_next(answer)));
  texts.push_back(text(outcome.of_end()));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(TransactionOutcome, AnErrorInTheAnswerOfExecBelongsToTheCommandInItsPlace) {
  EXPECT_EQ(outcomes(Part::Executes, "*3\r\n+OK\r\n-ERR second\r\n:1\r\n", {kQueued, kQueued, kQueued, kQueued}),
            (Texts{"fine", "fine", "ERR second", "fine", "fine"}));
  EXPECT_EQ(outcomes(Part::Executes, "*2\r\n-ERR first\r\n-ERR second\r\n", {kQueued, kQueued, kQueued}),
            (Texts{"fine", "ERR first", "ERR second", "fine"}));
}

TEST(TransactionOutcome, ACommandThatWasNotQueuedHasNoPlaceInTheAnswer) {
  EXPECT_EQ(outcomes(Part::Executes, "*2\r\n+OK\r\n-ERR second\r\n", {kQueued, kQueued, kRefused, kQueued}),
            (Texts{"fine", "fine", "ERR refused", "ERR second", "fine"}));
}

TEST(TransactionOutcome, WhatExecRefusesFailsAsAWhole) {
  EXPECT_EQ(outcomes(Part::Executes, "-EXECABORT no\r\n", {kQueued, kQueued, kRefused}),
            (Texts{"fine", "EXECABORT no", "ERR refused", "EXECABORT no"}));
  const std::string changed = "not carried out: a key that its transaction watches was changed";
  EXPECT_EQ(outcomes(Part::Executes, "*-1\r\n", {kQueued, kQueued}), (Texts{"fine", changed, changed}));
}

TEST(TransactionOutcome, WhatIsDiscardedWentWellAndWhatIsAbandonedDidNot) {
  EXPECT_EQ(outcomes(Part::Discards, "+OK\r\n", {kQueued, kQueued}), (Texts{"fine", "fine", "fine"}));
  const std::string open = "not carried out: its transaction has no EXEC in this file";
  EXPECT_EQ(outcomes(Part::Abandons, "+OK\r\n", {kQueued, kQueued}), (Texts{open, open, "fine"}));
}

}  // namespace
}  // namespace millrace::client
