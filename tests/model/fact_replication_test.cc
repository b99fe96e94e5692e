// Random histories of a graph in two engines: one decides, and the other gets the effects. After every step both
// hold equal graphs, with equal numbers. In between a graph is saved and loaded, and the two engines change roles.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/fact/fact_operations.h"
#include "tests/model/fact_bytes.h"
#include "tests/model/seeds.h"

namespace millrace {

namespace {

struct FactEngine {
  explicit FactEngine(const HashKey& hash_key) : key(hash_key) {}

  // Like a restarted server: loads from parts that are applied one by one.
  void reload() {
    if (place.get() == nullptr) return;
    OwnPlace<FactGraph> loaded("graph");
    each_part(*place.get(), [&](const Part& part) {
      EXPECT_TRUE(operations.apply(loaded, part, {.now = {}, .decides = false}).answer);
    });
    place.remove();
    place.put(std::move(*loaded.get()));
  }

  HashKey key;
  FactLimits limits{.walk_facts = 1000, .facts = 200};
  FactOperations operations{key, limits};
  OwnPlace<FactGraph> place{"graph"};
};

class FactReplication {
 public:
  explicit FactReplication(uint64_t seed) : random_(seed) {}

  void step() {
    if (number(40) == 0) engines_[number(2)].reload();
    if (number(60) == 0) leader_ = 1 - leader_;
    if (number(150) == 0) removing_ = number(10);
    std::vector<std::string> words;
    for (size_t facts = 1 + number(5); facts > 0; --facts) {
      for (int i = 0; i < 3; ++i) words.push_back(std::to_string(number(8)));
    }
    const std::vector<ByteView> views(words.begin(), words.end());
    const bool is_removal = number(10) < removing_;
    const auto execute = [&](FactEngine& at, const Call& call) {
      return is_removal ? at.operations.remove(at.place, views, call) : at.operations.add(at.place, views, call);
    };
    const auto done = execute(engines_[leader_], {});
    refused_ += done.answer ? 0 : 1;
    const auto repeat = [&] {
      const auto repeated = execute(engines_[1 - leader_], {.now = {}, .decides = false});
      EXPECT_EQ(repeated.answer.value(), done.answer.value());
    };
    done.consequences.effects.each(repeat, [](const Effect&) { FAIL() << "no other effect is known"; });
    removed_ += is_removal && engines_[leader_].place.get() == nullptr ? 1 : 0;
  }

  void check() {
    const FactGraph* here = engines_[0].place.get();
    const FactGraph* there = engines_[1].place.get();
    ASSERT_EQ(here == nullptr, there == nullptr);
    if (here == nullptr) return;
    ASSERT_EQ(here->check(), nullptr);
    ASSERT_EQ(there->check(), nullptr);
    ASSERT_EQ(testing::graph_digest(*here), testing::graph_digest(*there));
  }

  uint64_t refused() const { return refused_; }
  uint64_t removed() const { return removed_; }

 private:
  uint64_t number(uint64_t below) { return random_() % below; }

  std::mt19937_64 random_;
  FactEngine engines_[2] = {FactEngine(HashKey{1}), FactEngine(HashKey{2})};
  size_t leader_ = 0;
  uint64_t removing_ = 3;
  uint64_t refused_ = 0;
  uint64_t removed_ = 0;
};

TEST(FactReplication, the_engine_that_is_told_the_effects_holds_an_equal_graph) {
  uint64_t refused = 0;
  uint64_t removed = 0;
  testing::run_seeds(80, [&](uint64_t seed) {
    FactReplication history(seed);
    for (int i = 0; i < 600 && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(::testing::Message() << "step " << i);
      history.step();
      history.check();
    }
    refused += history.refused();
    removed += history.removed();
  });
  if (!testing::everything_has_happened()) return;
  EXPECT_GT(refused, 0u);
  EXPECT_GT(removed, 0u);
}

}  // namespace
}  // namespace millrace
