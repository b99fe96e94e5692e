#include "engine/channel/subscribers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace {
namespace {

constexpr HashKey kKey = {1, 2, 3};

std::vector<std::string> names_of(const Subscribers& subscribers) {
  std::vector<std::string> names;
  for (const Subscriber& subscriber : subscribers) names.push_back(subscriber.name);
  return names;
}

using Names = std::vector<std::string>;

// a, b, c and d, active at 10, 20, 30 and 40, each with a position one more than that.
Subscribers four() {
  Subscribers subscribers(kKey);
  uint64_t date = 0;
  for (const char* name : {"a", "b", "c", "d"}) {
    date += 10;
    subscribers.add(name, Offset(date + 1), UnixMs(date));
  }
  return subscribers;
}

TEST(Subscribers, AreFoundByName) {
  Subscribers subscribers = four();
  ASSERT_NE(subscribers.find("b"), nullptr);
  EXPECT_EQ(subscribers.find("b")->name, "b");
  EXPECT_EQ(subscribers.find("b")->position, Offset(21));
  EXPECT_EQ(subscribers.find("b")->active, UnixMs(20));
  EXPECT_EQ(subscribers.find("e"), nullptr);
  EXPECT_EQ(subscribers.find(""), nullptr);
  EXPECT_EQ(subscribers.size(), 4u);
  EXPECT_STREQ(subscribers.check(), nullptr);
}

TEST(Subscribers, NamesAreAnyBytes) {
  Subscribers subscribers(kKey);
  const std::string names[] = {std::string(1, '\0'), std::string(2, '\0'), "\xff\n", std::string(512, 'x')};
  for (const std::string& name : names) subscribers.add(name, Offset(0), UnixMs(0));
  for (const std::string& name : names) {
    ASSERT_NE(subscribers.find(name), nullptr);
    EXPECT_EQ(subscribers.find(name)->name, name);
  }
  EXPECT_STREQ(subscribers.check(), nullptr);
}

TEST(Subscribers, OneThatShowsThatItIsAliveIsLast) {
  Subscribers subscribers = four();
  subscribers.touch(*subscribers.find("b"), UnixMs(41));
  EXPECT_EQ(names_of(subscribers), (Names{"a", "c", "d", "b"}));
  subscribers.touch(*subscribers.find("b"), UnixMs(42));
  EXPECT_EQ(names_of(subscribers), (Names{"a", "c", "d", "b"}));
  subscribers.touch(*subscribers.find("a"), UnixMs(42));
  EXPECT_EQ(names_of(subscribers), (Names{"c", "d", "b", "a"}));
  EXPECT_EQ(subscribers.find("b")->active, UnixMs(42));
  EXPECT_STREQ(subscribers.check(), nullptr);
}

TEST(Subscribers, AnAddressStaysGoodWhileOthersComeAndGo) {
  Subscribers subscribers = four();
  Subscriber* b = subscribers.find("b");
  for (int i = 0; i < 1000; ++i) subscribers.add("other " + std::to_string(i), Offset(0), UnixMs(50));
  subscribers.touch(*b, UnixMs(60));
  for (int i = 0; i < 1000; ++i) subscribers.remove(*subscribers.find("other " + std::to_string(i)));
  subscribers.remove(*subscribers.find("a"));
  EXPECT_EQ(subscribers.find("b"), b);
  const Subscribers moved = std::move(subscribers);
  EXPECT_EQ(moved.find("b"), b);
  EXPECT_STREQ(moved.check(), nullptr);
}

TEST(Subscribers, ARemovedOneIsGone) {
  Subscribers subscribers = four();
  subscribers.remove(*subscribers.find("c"));
  EXPECT_EQ(subscribers.find("c"), nullptr);
  EXPECT_EQ(names_of(subscribers), (Names{"a", "b", "d"}));
  subscribers.add("c", Offset(7), UnixMs(50));
  EXPECT_EQ(subscribers.find("c")->position, Offset(7));
  EXPECT_STREQ(subscribers.check(), nullptr);
}

TEST(Subscribers, TheInactiveGoInTheirOrderAndNoMoreThanAsked) {
  Subscribers subscribers = four();
  subscribers.remove_inactive(UnixMs(10), 100);
  EXPECT_EQ(subscribers.size(), 4u) << "one that was active at the date itself stays";
  subscribers.remove_inactive(UnixMs(40), 1);
  EXPECT_EQ(names_of(subscribers), (Names{"b", "c", "d"}));
  subscribers.remove_inactive(UnixMs(40), 0);
  EXPECT_EQ(subscribers.size(), 3u);
  subscribers.remove_inactive(UnixMs(40), 100);
  EXPECT_EQ(names_of(subscribers), (Names{"d"}));
  subscribers.remove_inactive(UnixMs(41), 100);
  EXPECT_EQ(subscribers.size(), 0u);
  subscribers.remove_inactive(UnixMs(41), 100);
  EXPECT_STREQ(subscribers.check(), nullptr);
}

TEST(Subscribers, TheInactiveAreCounted) {
  const Subscribers subscribers = four();
  const struct {
    uint64_t date;
    size_t inactive;
  } rows[] = {{0, 0}, {10, 0}, {11, 1}, {20, 1}, {40, 3}, {41, 4}, {UINT64_MAX, 4}};
  for (const auto& row : rows) EXPECT_EQ(subscribers.count_inactive(UnixMs(row.date)), row.inactive) << row.date;
}

TEST(Subscribers, ThatLeaveGiveTheirMemoryBack) {
  Subscribers subscribers(kKey);
  const uint64_t empty = subscribers.memory();
  for (int i = 0; i < 10'000; ++i) subscribers.add("subscriber number " + std::to_string(i), Offset(0), UnixMs(1));
  EXPECT_GE(subscribers.memory(), 10'000 * (sizeof(Subscriber) + 20));
  EXPECT_LE(subscribers.memory(), 10'000u * 160);
  for (int i = 0; i < 9900; ++i) subscribers.remove(*subscribers.find("subscriber number " + std::to_string(i)));
  EXPECT_STREQ(subscribers.check(), nullptr);
  EXPECT_LE(subscribers.memory(), 100u * 300);
  subscribers.remove_inactive(UnixMs(2), 1000);
  EXPECT_EQ(subscribers.memory(), empty);
}

TEST(Subscribers, ACloneStandsOnItsOwn) {
  Subscribers subscribers = four();
  Subscribers copy = subscribers.clone();
  subscribers.remove_inactive(UnixMs(41), 100);
  EXPECT_EQ(names_of(copy), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(copy.find("c")->position, Offset(31));
  EXPECT_EQ(copy.find("c")->active, UnixMs(30));
  copy.touch(*copy.find("a"), UnixMs(50));
  EXPECT_STREQ(copy.check(), nullptr);
}

}  // namespace
}  // namespace millrace
