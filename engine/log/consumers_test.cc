#include "engine/log/consumers.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace millrace {
namespace {

TEST(Consumers, ANameKeepsItsIdWhileItHoldsMessages) {
  Consumers consumers;
  const ConsumerId alice = consumers.hold("alice", 3);
  const ConsumerId bob = consumers.hold("bob", 1);
  EXPECT_NE(alice, ConsumerId::none());
  EXPECT_NE(alice, bob);
  EXPECT_EQ(consumers.hold("alice", 2), alice);
  EXPECT_EQ(consumers.name(alice), "alice");
  EXPECT_EQ(consumers.name(bob), "bob");
  EXPECT_EQ(consumers.count(), 2u);
  EXPECT_EQ(consumers.messages(), 6u);
  consumers.release(alice, 4);
  EXPECT_EQ(consumers.count(), 2u);
  consumers.release(alice, 1);
  EXPECT_EQ(consumers.count(), 1u);
  EXPECT_EQ(consumers.name(bob), "bob");
  EXPECT_EQ(consumers.messages(), 1u);
}

TEST(Consumers, MessagesWithoutAConsumerAreNotCounted) {
  Consumers consumers;
  consumers.release(ConsumerId::none(), 5);
  EXPECT_EQ(consumers.count(), 0u);
  EXPECT_EQ(consumers.messages(), 0u);
}

TEST(Consumers, ANameMayHaveAnyBytes) {
  Consumers consumers;
  const std::vector<std::string> names = {"", std::string(1, '\0'), "\xff\n", std::string(1000, 'x')};
  std::vector<ConsumerId> ids;
  for (const std::string& name : names) ids.push_back(consumers.hold(name, 1));
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(consumers.name(ids[i]), names[i]);
  EXPECT_EQ(consumers.count(), names.size());
}

TEST(Consumers, WorkersWithRandomNamesLeaveNothingBehind) {
  Consumers consumers;
  for (int i = 0; i < 10'000; ++i) consumers.release(consumers.hold("worker " + std::to_string(i), 1), 1);
  EXPECT_EQ(consumers.count(), 0u);
  EXPECT_LE(consumers.memory(), 100u);
}

TEST(Consumers, ACopyIsIndependent) {
  Consumers consumers;
  const ConsumerId alice = consumers.hold("alice", 1);
  const ConsumerId bob = consumers.hold("bob", 1);
  consumers.release(alice, 1);
  Consumers copy = consumers;
  consumers.clear();
  EXPECT_EQ(copy.name(bob), "bob");
  EXPECT_EQ(copy.count(), 1u);
  Consumers assigned;
  assigned.hold("carol", 1);
  assigned = copy;
  copy.release(bob, 1);
  EXPECT_EQ(copy.count(), 0u);
  EXPECT_EQ(assigned.name(bob), "bob");
  const Consumers moved = std::move(assigned);
  EXPECT_EQ(moved.name(bob), "bob");
  EXPECT_EQ(moved.count(), 1u);
}

}  // namespace
}  // namespace millrace
