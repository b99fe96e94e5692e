#include "engine/waiting/waiting_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
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
    if (lines() != nullptr) {
      EXPECT_EQ(lines()->check(), nullptr);
    }
  }
  WaitingLines* lines() { return room_.find("key"); }

  // Serves all for which `can` is true; returns the names of all that were tried, those served with a star.
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

  // Serves all, for new messages with these tags from mark 1 on; returns the same as serve_those().
  std::vector<std::string> serve_tags(const std::vector<std::string>& tags) {
    std::vector<std::string> tried;
    const auto each_tag = [&](uint64_t from, auto visit) {
      for (uint64_t mark = std::max<uint64_t>(from, 1); mark <= tags.size(); ++mark) {
        ++tags_looked_at_;
        if (!visit(tags[mark - 1], mark)) return;
      }
    };
    is_all_served_ = serve_by_tag([&] { return lines(); }, each_tag,
                                  [&](Waiter& waiter) {
                                    Named& named = static_cast<Named&>(waiter);
                                    tried.push_back(named.name + "@" + std::to_string(named.mark()));
                                    leave(named);
                                    return true;
                                  });
    return tried;
  }

  size_t tags_looked_at_ = 0;
  bool is_all_served_ = false;
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

TEST_F(WaitingLinesTest, AWaiterThatIsServedAndComesAgainIsAtTheEnd) {
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

TEST_F(WaitingLinesTest, AWaiterMayHaveALineAndAMark) {
  wait("a", {.line = "s1", .mark = 5});
  wait("b", {.line = "s2", .mark = 5});
  EXPECT_EQ(serve_those(Wake::one_line("s2"), kEverybody), Names{"b*"});
  EXPECT_EQ(serve_those({.mark = 6}, kEverybody), Names{"a*"});
}

TEST_F(WaitingLinesTest, AWaiterWithoutALineIsNotServedByLines) {
  wait("a", {.line = std::nullopt, .mark = 5});
  EXPECT_EQ(serve_those(Wake::all_lines(), kEverybody), Names{});
  EXPECT_EQ(serve_those(Wake::everybody(), kEverybody), Names{"a*"});
}

TEST_F(WaitingLinesTest, AnEmptyWakeWakesNoWaiter) {
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

TEST_F(WaitingLinesTest, WaitersByTagAreFoundByTheTagsOfNewMessages) {
  const std::vector<ByteView> paid_or_late = {"paid", "late", "late"}, late = {"late"}, other = {"other"};
  wait("a", {.line = {}, .mark = 2, .tags = paid_or_late});
  wait("b", {.line = {}, .mark = 2, .tags = late});
  wait("c", {.line = {}, .mark = 1, .tags = other});
  wait("d", {.line = {}, .mark = 9, .tags = late});
  EXPECT_EQ(serve_those({.mark = 100, .lines = Wake::Lines::None, .line = {}}, kEverybody), Names{})
      << "reaching a mark is not enough for those who wait by tag";
  EXPECT_EQ(serve_tags({"late", "new", "late", "paid"}), (Names{"a@3", "b@3"})) << "each once, and not before its mark";
  EXPECT_EQ(lines()->size(), 2u);
  EXPECT_EQ(lines()->tags_mark(), 5u);
  tags_looked_at_ = 0;
  EXPECT_EQ(serve_tags({"late", "new", "late", "paid", "other"}), Names{"c@5"});
  EXPECT_EQ(tags_looked_at_, 1u) << "what was shown once is not looked at again";
}

TEST_F(WaitingLinesTest, AnObjectThatIsMadeAgainIsShownFromItsBeginning) {
  const std::vector<ByteView> mine = {"mine"};
  Named& reader = wait("a", {.line = {}, .mark = 1, .tags = mine});
  EXPECT_EQ(serve_tags({"x", "y", "z"}), Names{});
  EXPECT_EQ(lines()->tags_mark(), 4u);
  lines()->set_mark(reader, 1);
  EXPECT_EQ(serve_tags({"mine"}), Names{"a@1"});
}

TEST_F(WaitingLinesTest, AWaiterMayBeginToWaitByTag) {
  const std::vector<ByteView> mine = {"mine"};
  Named& reader = wait("a", {.line = {}, .mark = 1});
  lines()->wait_on(reader, {.line = {}, .mark = 3, .tags = mine});
  EXPECT_EQ(lines()->check(), nullptr);
  EXPECT_EQ(serve_those({.mark = 100, .lines = Wake::Lines::None, .line = {}}, kEverybody), Names{});
  EXPECT_EQ(serve_tags({"mine", "mine", "mine"}), Names{"a@3"});
}

TEST_F(WaitingLinesTest, VeryMuchThatIsNewIsLookedAtInSeveralTurns) {
  const std::vector<ByteView> mine = {"mine"};
  wait("a", {.line = {}, .mark = 1, .tags = mine});
  std::vector<std::string> tags(kTagsPerTurn + 10, "other");
  tags.push_back("mine");
  EXPECT_EQ(serve_tags(tags), Names{});
  EXPECT_FALSE(is_all_served_);
  EXPECT_EQ(serve_tags(tags), Names{"a@" + std::to_string(tags.size())});
}

}  // namespace
}  // namespace millrace
