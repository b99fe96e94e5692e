#include "client/lock/round.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace millrace::client {
namespace {

// A server to which no connection is made: the questions of these tests produce their own answers.
LockServer nowhere(const std::string& host) {
  ConnectionOptions options;
  options.to = Endpoint{host, 1};
  return LockServer(std::move(options), Milliseconds(1), false);
}

Moment now() { return std::chrono::steady_clock::now(); }

// Longer than any test may take.
Moment far_away() { return now() + std::chrono::hours(1); }

TEST(Round, IsOverWhenTheAnswersAreEnoughAndAsksNoServerThatHasNotAnswered) {
  ServerThread quick(nowhere("quick")), slow(nowhere("slow"));
  ServerThread* const servers[] = {&quick, &slow};
  std::promise<void> released;
  const std::shared_future<void> release = released.get_future().share();
  const auto question = [release](LockServer& server) -> Result<int> {
    if (server.endpoint().host != "slow") return 1;
    release.wait();
    return 2;
  };
  auto answers = ask_all<int>(
      servers, question, [](const Answers<int>& so_far) { return so_far[0].has_value(); }, far_away());
  EXPECT_EQ(**answers[0], 1);
  EXPECT_FALSE(answers[1]) << "nobody waited for it";

  answers = ask_all<int>(
      std::span(servers).subspan(1), question, [](const Answers<int>&) { return false; }, far_away());
  ASSERT_TRUE(answers[0]);
  EXPECT_EQ(answers[0]->error().code, ErrorCode::TimedOut) << "it owes an answer, and is not asked";
  released.set_value();
}

// A question may take longer than its time-out, because each redirection, sentinel and name has a time-out of its own.
// A lease does not become longer.
TEST(Round, AServerThatHasNotAnsweredByTheDeadlineHasTimedOut) {
  ServerThread slow(nowhere("slow"));
  ServerThread* const servers[] = {&slow};
  std::promise<void> released;
  const std::shared_future<void> release = released.get_future().share();
  const auto answers = ask_all<int>(
      servers,
      [release](LockServer&) -> Result<int> {
        release.wait();
        return 2;
      },
      [](const Answers<int>&) { return false; }, now());
  ASSERT_TRUE(answers[0]);
  ASSERT_FALSE(*answers[0]);
  EXPECT_EQ(answers[0]->error().code, ErrorCode::TimedOut);
  EXPECT_NE(answers[0]->error().text.find("did not answer in time"), std::string::npos);
  released.set_value();
}

}  // namespace
}  // namespace millrace::client
