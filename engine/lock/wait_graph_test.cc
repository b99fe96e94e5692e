#include "engine/lock/wait_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace millrace {
namespace {

using Cycles = std::vector<std::vector<std::string>>;

TEST(WaitGraph, AnOwnerThatWaitsForARunningOwnerIsInNoCycle) {
  WaitGraph graph;
  graph.waits("b", 1);
  graph.holds("a", 1);
  graph.waits("c", 2);
  graph.holds("b", 2);
  EXPECT_EQ(graph.cycles(10), Cycles());
}

TEST(WaitGraph, TwoOwnersThatWaitForEachOtherAreACycle) {
  WaitGraph graph;
  graph.holds("a", 1);
  graph.holds("b", 2);
  graph.waits("a", 2);
  graph.waits("b", 1);
  EXPECT_EQ(graph.cycles(10), (Cycles{{"a", "b"}}));
}

TEST(WaitGraph, ACycleOfThreeIsReturnedInOrder) {
  WaitGraph graph;
  for (const auto& [owner, holds, waits] : {std::tuple("a", 1, 2), std::tuple("b", 2, 3), std::tuple("c", 3, 1)}) {
    graph.holds(owner, static_cast<size_t>(holds));
    graph.waits(owner, static_cast<size_t>(waits));
  }
  EXPECT_EQ(graph.cycles(10), (Cycles{{"a", "b", "c"}}));
}

TEST(WaitGraph, AnOwnerThatWaitsForALockOfACycleIsNotPartOfTheCycle) {
  WaitGraph graph;
  graph.waits("a", 1);  // from outside, and looked at first
  graph.holds("b", 1);
  graph.waits("b", 2);
  graph.holds("c", 2);
  graph.waits("c", 1);
  EXPECT_EQ(graph.cycles(10), (Cycles{{"b", "c"}}));
}

TEST(WaitGraph, AnOwnerCanWaitForItself) {
  WaitGraph graph;
  graph.waits("a", 1);
  graph.holds("b", 1);
  graph.waits("b", 1);
  EXPECT_EQ(graph.cycles(10), (Cycles{{"b"}}));
}

TEST(WaitGraph, AtMostTheGivenNumberOfCyclesIsReturned) {
  WaitGraph graph;
  for (size_t i = 0; i < 20; i += 2) {
    const std::string one = std::to_string(i), other = std::to_string(i + 1);
    graph.holds(one, i);
    graph.waits(one, i + 1);
    graph.holds(other, i + 1);
    graph.waits(other, i);
  }
  EXPECT_EQ(graph.cycles(3).size(), 3u);
  EXPECT_EQ(graph.cycles(0).size(), 0u);
  EXPECT_EQ(graph.cycles(100).size(), 10u);
}

TEST(WaitGraph, AChainOfAHundredThousandOwnersNeedsNoRecursion) {
  WaitGraph graph;
  constexpr size_t kLength = 100'000;
  for (size_t i = 0; i < kLength; ++i) {
    graph.holds(std::to_string(i), i);
    graph.waits(std::to_string(i), (i + 1) % kLength);
  }
  ASSERT_EQ(graph.cycles(10).size(), 1u);
  EXPECT_EQ(graph.cycles(10)[0].size(), kLength);
}

TEST(WaitGraph, ACycleIsReturnedIfAndOnlyIfARandomGraphHasOneAndEachIsReal) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const size_t owners = 1 + random() % 6, locks = 1 + random() % 6;
    WaitGraph graph;
    std::set<std::pair<std::string, size_t>> waits, holds;
    for (size_t i = random() % 10; i-- > 0;) {
      const std::string owner(1, static_cast<char>('a' + random() % owners));
      const size_t lock = random() % locks;
      (random() % 2 == 0 ? waits : holds).emplace(owner, lock);
    }
    for (const auto& [owner, lock] : waits) graph.waits(owner, lock);
    for (const auto& [owner, lock] : holds) graph.holds(owner, lock);
    // A simple model: all pairs of owners of which the first waits for the second, directly or through others.
    std::set<std::pair<std::string, std::string>> reaches;
    for (const auto& [from, lock] : waits) {
      for (const auto& [to, held] : holds) {
        if (held == lock) reaches.emplace(from, to);
      }
    }
    const auto edges = reaches;
    for (size_t i = 0; i < owners; ++i) {
      for (const auto& [a, b] : std::set(reaches)) {
        for (const auto& [c, d] : std::set(reaches)) {
          if (b == c) reaches.emplace(a, d);
        }
      }
    }
    const bool has_cycle = std::ranges::any_of(reaches, [](const auto& edge) { return edge.first == edge.second; });
    const Cycles cycles = graph.cycles(100);
    EXPECT_EQ(!cycles.empty(), has_cycle);
    for (const auto& cycle : cycles) {
      for (size_t i = 0; i < cycle.size(); ++i) {
        EXPECT_TRUE(edges.contains({cycle[i], cycle[(i + 1) % cycle.size()]}));
      }
    }
  }
}

}  // namespace
}  // namespace millrace
