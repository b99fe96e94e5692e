#include "client/lock/quorum.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

const Moment kStart{};

Moment at(int ms) { return kStart + Milliseconds(ms); }

Quorum quorum_with(size_t servers, Milliseconds ttl, size_t grants) {
  Quorum quorum(servers, ttl, kStart);
  for (size_t i = 0; i < grants; ++i) quorum.granted(std::nullopt);
  return quorum;
}

TEST(Quorum, AMajorityIsMoreThanHalf) {
  const size_t expected[] = {1, 2, 2, 3, 3, 4, 4};
  for (size_t servers = 1; servers <= 7; ++servers) EXPECT_EQ(majority_of(servers), expected[servers - 1]) << servers;
}

// 30000 - 300 - 2 = 29698 from the start on.
TEST(Quorum, WhatRemainsValidIsTheLeaseLessWhatHasPassedLessTheDrift) {
  const Quorum quorum = quorum_with(5, Milliseconds(30'000), 3);
  EXPECT_EQ(quorum.validity(at(0)).count(), 29'698);
  EXPECT_EQ(quorum.validity(at(1)).count(), 29'697);
  EXPECT_EQ(quorum.validity(at(29'697)).count(), 1);
  EXPECT_TRUE(quorum.is_held(at(29'697)));
  EXPECT_EQ(quorum.validity(at(29'698)).count(), 0);
  EXPECT_FALSE(quorum.is_held(at(29'698)));
  EXPECT_EQ(quorum.validity(at(30'000)).count(), -302);
}

TEST(Quorum, LessThanAMillisecondIsNothing) {
  const Quorum quorum = quorum_with(1, Milliseconds(100), 1);
  EXPECT_EQ(quorum.valid_until(), at(97));
  EXPECT_EQ(quorum.validity(at(96) + std::chrono::microseconds(1)).count(), 0);
  EXPECT_FALSE(quorum.is_held(at(96) + std::chrono::microseconds(1)));
}

TEST(Quorum, WithoutAMajorityNothingIsHeld) {
  EXPECT_FALSE(quorum_with(5, Milliseconds(30'000), 2).is_held(at(0)));
  EXPECT_EQ(quorum_with(5, Milliseconds(30'000), 2).validity(at(0)).count(), 0);
  EXPECT_TRUE(quorum_with(5, Milliseconds(30'000), 3).is_held(at(0)));
  EXPECT_FALSE(quorum_with(4, Milliseconds(30'000), 2).is_held(at(0)));
}

TEST(Quorum, ALeaseShorterThanItsDriftIsNeverHeld) { EXPECT_FALSE(quorum_with(1, Milliseconds(2), 1).is_held(at(0))); }

TEST(Quorum, ItIsHopelessOnceTooManyRefuse) {
  Quorum quorum(5, Milliseconds(1000), kStart);
  quorum.refused();
  quorum.refused();
  EXPECT_FALSE(quorum.is_hopeless());
  quorum.refused();
  EXPECT_TRUE(quorum.is_hopeless());
}

TEST(Quorum, TheTokenIsTheGreatestOfTheGrants) {
  Quorum quorum(3, Milliseconds(1000), kStart);
  EXPECT_EQ(quorum.token(), std::nullopt);
  quorum.granted(17);
  quorum.granted(40);
  quorum.granted(23);
  EXPECT_EQ(quorum.token(), 40U);
}

TEST(Quorum, AGrantWithoutATokenLeavesNone) {
  Quorum quorum(3, Milliseconds(1000), kStart);
  quorum.granted(17);
  quorum.granted(std::nullopt);
  EXPECT_EQ(quorum.token(), std::nullopt);
}

}  // namespace
}  // namespace millrace::client
