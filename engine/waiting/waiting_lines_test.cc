#include "engine/waiting/waiting_lines.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/waiting/waiting_room.h"

namespace millrace {
namespace {

struct Named : Waiter {
  explicit Named(std::string given) : name(std::move(given)) {}
  std::string name;
};

// A room with one object, "key", and waiters by name.
class WaitingLinesTest : public ::testing::Test {
 protected:
  Named& wait(const std::string& name, const Wait& wait, MonotonicMs deadline = kNoDeadline) {
    Named& waiter = *waiters_.emplace_back(std::make_unique<Named>(name));
    room_.add("key", waiter, wait, deadline);
    EXPECT_EQ(lines()->check(), nullptr);
    return waiter;
  }
  void leave(Named& waiter) {
    room_.remove("key", waiter);
    if (lines() != nullptr) EXPECT_EQ(lines()->check(), nullptr);
  }
  WaitingLines* lines() { return room_.find("key"); }

  // Serves all for whom `can` is true; returns the names of all that were tried, those served with a star.
  template <class Can>
  std::vector<std::string> serve_those(const Wake& wake, Can can) {
    std::vector<std::string> tried;
    serve([&] { return lines(); }, wake,
          [&](Waiter& waiter) {
            Named& named = static_cast<Named&>(waiter);
            const bool served = can(named);
            tried.push_back(named.name + (served ? "*" : ""));
            if (served) leave(named);
            return served;
          });
    return tried;
  }

  WaitingRoom<std::string> room_;
  std::vector<std::unique_ptr<Named>> waiters_;
};

using Names = std::vector<std::string>;
const auto kEverybody = [](Named&) { return true; };
const auto kNobody = [](Named&) { return false; };

TEST_F(WaitingLinesTest, ALineIsServedInTheOrderOfArrivalUntilOneIsNotServed) {
  wait("a", {.line = "g"});
  wait("b", {.line = "g"});
  wait("c", {.line = "g"});
  int left = 2;
  EXPECT_EQ(serve_those(Wake::one_line("g"), [&](Named&) { return left-- > 0; }), (Names{"a*", "b*", "c"}));
  EXPECT_EQ(lines()->size(), 1U);
}

TEST_F(WaitingLinesTest, WhoIsServedAndComesAgainStandsAtTheEnd) {
  wait("a", {.line = "g"});
  wait("b", {.line = "g"});
  int left = 1;
  serve_those(Wake::one_line("g"), [&](Named&) { return left-- > 0; });
  wait("a", {.line = "g"});
  EXPECT_EQ(serve_those(Wake::one_line("g"), kEverybody), (Names{"b*", "a*"}));
  EXPECT_EQ(lines(), nullptr) << "nobody waits any more";
  EXPECT_TRUE(room_.empty());
}

TEST_F(WaitingLinesTest, OneThatIsNotServedKeepsBackItsOwnLineAlone) {
  wait("a", {.line = "g"});
  wait("b", {.line = "g"});
  wait("c", {.line = "h"});
  EXPECT_EQ(serve_those(Wake::all_lines(), [](Named& named) { return named.name == "c"; }), (Names{"a", "c*"}));
}

TEST_F(WaitingLinesTest, AMarkIsTriedWhenItIsReachedAndNotBefore) {
  wait("far", {.line = std::nullopt, .mark = 100});
  wait("second", {.line = std::nullopt, .mark = 7});
  wait("third", {.line = std::nullopt, .mark = 5});
  EXPECT_EQ(serve_those({.mark = 5}, kEverybody), Names{});
  EXPECT_EQ(serve_those({.mark = 8}, kNobody), (Names{"second", "third"})) << "in the order of arrival, not of marks";
  EXPECT_EQ(serve_those({.mark = 8}, [](Named& named) { return named.name == "third"; }), (Names{"second", "third*"}));
}

TEST_F(WaitingLinesTest, AMarkCanBeMoved) {
  Named& waiter = wait("a", {.line = std::nullopt, .mark = 5});
  lines()->set_mark(waiter, 9);
  EXPECT_EQ(lines()->check(), nullptr);
  EXPECT_EQ(serve_those({.mark = 6}, kEverybody), Names{});
  lines()->set_mark(waiter, UINT64_MAX);
  EXPECT_EQ(lines()->check(), nullptr);
  EXPECT_EQ(serve_those({.mark = UINT64_MAX}, kEverybody), Names{});
  lines()->set_mark(waiter, 2);
  EXPECT_EQ(serve_those({.mark = 3}, kEverybody), Names{"a*"});
}

TEST_F(WaitingLinesTest, SomebodyMayHaveALineAndAMark) {
  wait("a", {.line = "s1", .mark = 5});
  wait("b", {.line = "s2", .mark = 5});
  EXPECT_EQ(serve_those(Wake::one_line("s2"), kEverybody), Names{"b*"});
  EXPECT_EQ(serve_those({.mark = 6}, kEverybody), Names{"a*"});
}

TEST_F(WaitingLinesTest, WhoHasNoLineIsNotServedByLines) {
  wait("a", {.line = std::nullopt, .mark = 5});
  EXPECT_EQ(serve_those(Wake::all_lines(), kEverybody), Names{});
  EXPECT_EQ(serve_those(Wake::everybody(), kEverybody), Names{"a*"});
}

TEST_F(WaitingLinesTest, NobodyIsWokenByAWakeOfNobody) {
  wait("a", {.line = "g"});
  EXPECT_TRUE(Wake().is_nobody());
  EXPECT_EQ(serve_those(Wake(), kEverybody), Names{});
}

TEST_F(WaitingLinesTest, DeadlinesComeInTheirOrderAndTheLastMillisecondCounts) {
  Named& late = wait("late", {.line = "g"}, MonotonicMs(20));
  Named& soon = wait("soon", {.line = "g"}, MonotonicMs(10));
  wait("never", {.line = "g"});
  EXPECT_EQ(lines()->first_deadline(), MonotonicMs(10));
  EXPECT_EQ(lines()->overdue(MonotonicMs(10)), nullptr);
  EXPECT_EQ(lines()->overdue(MonotonicMs(11)), &soon);
  leave(soon);
  EXPECT_EQ(lines()->overdue(MonotonicMs(11)), nullptr);
  EXPECT_EQ(lines()->first_deadline(), MonotonicMs(20));
  leave(late);
  EXPECT_EQ(lines()->first_deadline(), kNoDeadline);
}

TEST_F(WaitingLinesTest, TheOneThatWasSeenLongestAgoIsFirst) {
  Named& a = wait("a", {.line = "g"});
  Named& b = wait("b", {.line = "g"});
  EXPECT_EQ(lines()->longest_unseen(), &a);
  lines()->set_seen(a, 7);
  EXPECT_EQ(lines()->longest_unseen(), &b);
  EXPECT_EQ(lines()->seen(a), 7U);
  leave(b);
  EXPECT_EQ(lines()->longest_unseen(), &a);
}

TEST_F(WaitingLinesTest, ALineCanBeListed) {
  Named& a = wait("a", {.line = "g"});
  Named& b = wait("b", {.line = "g"});
  Named& c = wait("c", {.line = "h"});
  EXPECT_EQ(lines()->in_line("g", 10), (std::vector<Waiter*>{&a, &b}));
  EXPECT_EQ(lines()->in_line("g", 1), (std::vector<Waiter*>{&a}));
  EXPECT_EQ(lines()->in_line("none", 1), (std::vector<Waiter*>{}));
  EXPECT_EQ(lines()->everybody(), (std::vector<Waiter*>{&a, &b, &c}));
  EXPECT_EQ(lines()->line_names(), (Names{"g", "h"}));
  EXPECT_EQ(room_.keys(), Names{"key"});
}

}  // namespace
}  // namespace millrace
