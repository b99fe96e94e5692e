#include "client/lock/quorum.h"

#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>

namespace millrace::client {
namespace {

const Moment kStart{};

Moment at(int ms) { return kStart + Milliseconds(ms); }

Quorum quorum_with(size_t servers, Milliseconds ttl, size_t grants) {
  Quorum quorum(servers, majority_of(servers), ttl, kStart);
  for (size_t i = 0; i < grants; ++i) quorum.granted(std::nullopt);
  return quorum;
}

TEST(Quorum, AMajorityIsMoreThanHalf) {
  const size_t expected[] = {1, 2, 2, 3, 3, 4, 4};
  for (size_t servers = 1; servers <= 7; ++servers) EXPECT_EQ(majority_of(servers), expected[servers - 1]) << servers;
}

// All servers together grant `servers * permits`.
TEST(Quorum, OfASemaphoreNoMoreThanItsPermitsCanHaveAQuorum) {
  for (size_t servers = 1; servers <= 9; ++servers) {
    EXPECT_EQ(quorum_of(servers, 1), majority_of(servers));
    for (size_t permits = 1; permits <= 12; ++permits) {
      const size_t needed = quorum_of(servers, permits);
      EXPECT_LE(needed, servers);
      EXPECT_GT(needed * (permits + 1), servers * permits) << "one more than permitted cannot have it";
      EXPECT_LE((needed - 1) * (permits + 1), servers * permits) << "and it is not more than is needed";
    }
    EXPECT_EQ(quorum_of(servers, UINT64_MAX / 2), servers);
  }
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
  Quorum quorum(5, 3, Milliseconds(1000), kStart);
  quorum.refused();
  quorum.refused();
  EXPECT_FALSE(quorum.is_hopeless());
  quorum.refused();
  EXPECT_TRUE(quorum.is_hopeless());
}

Quorum tokens_of(size_t servers, std::initializer_list<uint64_t> tokens) {
  Quorum quorum(servers, majority_of(servers), Milliseconds(1000), kStart);
  for (const uint64_t token : tokens) quorum.granted(token);
  return quorum;
}

TEST(Quorum, TheTokenIsTheGreatestOfTheMajorityWithTheSmallest) {
  EXPECT_EQ(tokens_of(1, {17}).token(), 17U);
  EXPECT_EQ(tokens_of(2, {40, 17}).token(), 40U);
  EXPECT_EQ(tokens_of(3, {17, 40, 23}).token(), 23U);
  EXPECT_EQ(tokens_of(3, {40, 17}).token(), 40U);
  EXPECT_EQ(tokens_of(5, {90, 7, 95, 5, 8}).token(), 8U) << "two clocks that are ahead have no say";
  EXPECT_EQ(tokens_of(5, {90, 7, 5}).token(), 90U) << "unless they are needed";
}

// For all tokens that five servers may have got, and for all sets of servers that answer.
TEST(Quorum, TheNextTokenIsGreaterThanWhatAMajorityHeardOf) {
  for (unsigned heard = 0; heard < 32; ++heard) {
    for (unsigned answer = 0; answer < 32; ++answer) {
      if (std::popcount(heard) < 3 || std::popcount(answer) < 3) continue;
      Quorum quorum(5, 3, Milliseconds(1000), kStart);
      for (unsigned server = 0; server < 5; ++server) {
        const uint64_t next = (heard >> server & 1) != 0 ? 1001 : server + 1;
        if ((answer >> server & 1) != 0) quorum.granted(next);
      }
      EXPECT_GT(quorum.token(), 1000U) << heard << " heard of it, " << answer << " answer";
    }
  }
}

TEST(Quorum, WithoutAMajorityThereIsNoToken) {
  EXPECT_EQ(tokens_of(3, {}).token(), std::nullopt);
  EXPECT_EQ(tokens_of(3, {17}).token(), std::nullopt);
}

TEST(Quorum, AGrantWithoutATokenLeavesNone) {
  Quorum quorum(3, 2, Milliseconds(1000), kStart);
  quorum.granted(17);
  quorum.granted(std::nullopt);
  EXPECT_EQ(quorum.token(), std::nullopt);
}

}  // namespace
}  // namespace millrace::client
