// When waiting clients were last recorded as alive, and which one is recorded next.
#include <gtest/gtest.h>

#include "engine/waiting/waiting_lines.h"

namespace millrace {
namespace {

struct Client : Waiter {};

class SignsOfLife : public ::testing::Test {
 protected:
  void wait(Client& client, ByteView line, uint64_t seen) {
    lines.add(client, {.line = line, .mark = 5, .seen = seen}, arrivals++, kNoDeadline);
  }

  WaitingLines lines;
  uint64_t arrivals = 0;
};

TEST_F(SignsOfLife, TheOneThatCameFirstIsShownFirst) {
  Client first, second;
  wait(first, "a", 100);
  wait(second, "b", 110);
  EXPECT_EQ(lines.longest_unseen(), &first);
  EXPECT_EQ(lines.seen(first), 100u);
  EXPECT_EQ(lines.line_of(first), "a");
  lines.set_seen(first, 120);
  EXPECT_EQ(lines.longest_unseen(), &second);
  EXPECT_STREQ(lines.check(), nullptr);
}

TEST_F(SignsOfLife, OneThatIsTriedAgainAndWaitsOnKeepsItsPlaceInItsLine) {
  Client first, second;
  wait(first, "a", 100);
  wait(second, "a", 110);
  lines.wait_on(first, {.line = "a", .mark = 9, .seen = 120});
  EXPECT_EQ(lines.front("a"), &first);
  EXPECT_EQ(lines.longest_unseen(), &second);
  EXPECT_EQ(lines.reached(9), std::vector<Waiter*>{&second});
  lines.wait_on(first, {.line = "a", .mark = 5});
  EXPECT_EQ(lines.seen(first), 120u) << "a wait that says nothing of it is no sign";
  EXPECT_STREQ(lines.check(), nullptr);
}

}  // namespace
}  // namespace millrace
