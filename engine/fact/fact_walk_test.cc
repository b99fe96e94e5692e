#include "engine/fact/fact_walk.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {

namespace {

constexpr uint64_t kNoLimit = UINT64_MAX;

// ann -> bob -> carl -> dora, ann -> eve -> dora; ann likes tea
FactGraph friends() {
  FactGraph graph{HashKey{}};
  for (const auto& [from, to] : {std::pair("ann", "bob"), {"bob", "carl"}, {"carl", "dora"}, {"ann", "eve"}}) {
    graph.add({from, "knows", to});
  }
  graph.add({"eve", "knows", "dora"});
  graph.add({"ann", "likes", "tea"});
  return graph;
}

std::string nodes_of(const FactGraph& graph, const FactWalk& walk) {
  std::string text;
  for (const FactWalk::Node& node : walk.nodes) {
    text += std::string(graph.names().text(node.name)) + " " + std::to_string(node.distance) + ", ";
  }
  return text;
}

std::string path_of(const FactGraph& graph, const FactWalk& walk) {
  if (!walk.path) return "none";
  std::string text;
  for (const Fact& fact : *walk.path) {
    text += std::string(graph.text(fact).subject) + ">" + std::string(graph.text(fact).object) + " ";
  }
  return text;
}

TEST(FactWalk, finds_the_nodes_with_their_distance_the_nearest_first) {
  const FactGraph graph = friends();
  const FactWalk walk = walk_facts(graph, {.start = "ann", .predicate = "knows", .end = {}}, kNoLimit);
  EXPECT_EQ(nodes_of(graph, walk), "bob 1, eve 1, carl 2, dora 2, ");
  EXPECT_EQ(walk.stop, FactWalkStop::None);
}

TEST(FactWalk, follows_every_predicate_if_none_is_named) {
  const FactGraph graph = friends();
  const FactWalk walk = walk_facts(graph, {.start = "ann", .predicate = {}, .depth = 1, .end = {}}, kNoLimit);
  EXPECT_EQ(nodes_of(graph, walk), "bob 1, eve 1, tea 1, ");
}

TEST(FactWalk, goes_from_objects_to_subjects_in_reverse) {
  const FactGraph graph = friends();
  const FactWalk walk =
      walk_facts(graph, {.start = "dora", .predicate = "knows", .is_reverse = true, .end = {}}, kNoLimit);
  EXPECT_EQ(nodes_of(graph, walk), "carl 1, eve 1, bob 2, ann 2, ");
}

TEST(FactWalk, a_path_is_one_of_the_shortest) {
  const FactGraph graph = friends();
  const FactWalk walk = walk_facts(graph, {.start = "ann", .predicate = {}, .end = "dora"}, kNoLimit);
  EXPECT_EQ(path_of(graph, walk), "ann>eve eve>dora ");
  const FactWalk back =
      walk_facts(graph, {.start = "dora", .predicate = {}, .is_reverse = true, .end = "ann"}, kNoLimit);
  EXPECT_EQ(path_of(graph, back), "eve>dora ann>eve ");
}

TEST(FactWalk, a_path_to_its_start_is_empty_and_one_to_nowhere_is_none) {
  const FactGraph graph = friends();
  EXPECT_EQ(path_of(graph, walk_facts(graph, {.start = "ann", .predicate = "none", .end = "ann"}, kNoLimit)), "");
  for (const char* end : {"nobody", "ann"}) {
    EXPECT_EQ(path_of(graph, walk_facts(graph, {.start = "dora", .predicate = {}, .end = end}, kNoLimit)), "none");
  }
  EXPECT_EQ(path_of(graph, walk_facts(graph, {.start = "nobody", .predicate = {}, .end = "nobody"}, kNoLimit)), "none");
}

TEST(FactWalk, a_path_longer_than_the_depth_is_not_found) {
  const FactGraph graph = friends();
  const FactWalk walk = walk_facts(graph, {.start = "ann", .predicate = {}, .depth = 1, .end = "dora"}, kNoLimit);
  EXPECT_EQ(path_of(graph, walk), "none");
  EXPECT_EQ(walk.stop, FactWalkStop::None);
}

TEST(FactWalk, says_that_a_limit_ended_it_only_if_there_is_more) {
  const FactGraph graph = friends();
  const FactWalk four = walk_facts(graph, {.start = "ann", .predicate = "knows", .limit = 4, .end = {}}, kNoLimit);
  EXPECT_EQ(four.stop, FactWalkStop::None);
  const FactWalk three = walk_facts(graph, {.start = "ann", .predicate = "knows", .limit = 3, .end = {}}, kNoLimit);
  EXPECT_EQ(three.stop, FactWalkStop::Limit);
  EXPECT_EQ(nodes_of(graph, three), "bob 1, eve 1, carl 2, ");
}

TEST(FactWalk, says_that_the_bound_of_its_work_ended_it) {
  const FactGraph graph = friends();
  const FactWalk walk = walk_facts(graph, {.start = "ann", .predicate = "knows", .end = {}}, 2);
  EXPECT_EQ(walk.stop, FactWalkStop::Work);
  EXPECT_EQ(nodes_of(graph, walk), "bob 1, eve 1, ");
  EXPECT_EQ(walk_facts(graph, {.start = "ann", .predicate = "knows", .end = {}}, 5).stop, FactWalkStop::None);
}

TEST(FactWalk, of_a_name_that_no_fact_has_finds_nothing) {
  const FactGraph graph = friends();
  EXPECT_TRUE(walk_facts(graph, {.start = "nobody", .predicate = {}, .end = {}}, kNoLimit).nodes.empty());
  EXPECT_TRUE(walk_facts(graph, {.start = "ann", .predicate = "hates", .end = {}}, kNoLimit).nodes.empty());
}

// Distances, computed by relaxing every fact until nothing changes.
std::map<int, uint32_t> naive_distances(const std::vector<std::pair<int, int>>& edges, int start) {
  std::map<int, uint32_t> distance = {{start, 0}};
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const auto& [from, to] : edges) {
      const auto here = distance.find(from);
      if (here == distance.end()) continue;
      const uint32_t next = here->second + 1;
      const auto [there, is_new] = distance.emplace(to, next);
      if (!is_new && there->second <= next) continue;
      there->second = next;
      is_changed = true;
    }
  }
  return distance;
}

TEST(FactWalk, has_the_distances_that_relaxing_every_fact_gives) {
  testing::run_seeds(200, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    FactGraph graph{HashKey{}};
    std::vector<std::pair<int, int>> edges;
    for (int i = 0; i < 60; ++i) {
      const auto& [from, to] = edges.emplace_back(random() % 30, random() % 30);
      graph.add({std::to_string(from), "p", std::to_string(to)});
    }
    const int start = edges.front().first;
    auto expected = naive_distances(edges, start);
    const FactWalk walk = walk_facts(graph, {.start = std::to_string(start), .predicate = "p", .end = {}}, kNoLimit);
    ASSERT_EQ(walk.nodes.size(), expected.size() - 1);
    for (const FactWalk::Node& node : walk.nodes) {
      const std::string name(graph.names().text(node.name));
      ASSERT_EQ(node.distance, expected.at(std::stoi(name)));
      const FactWalk to = walk_facts(graph, {.start = std::to_string(start), .predicate = {}, .end = name}, kNoLimit);
      ASSERT_TRUE(to.path);
      ASSERT_EQ(to.path->size(), node.distance);
    }
  });
}

}  // namespace

}  // namespace millrace
