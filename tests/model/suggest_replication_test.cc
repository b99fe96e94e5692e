// Random histories of a dictionary in two engines: one decides, and the other gets the effects. After every step
// both hold equal dictionaries, to the last bit of each score. In between a dictionary is saved and loaded, and the two
// engines change roles.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/suggest/suggest_operations.h"
#include "tests/model/seeds.h"
#include "tests/model/suggest_bytes.h"

namespace millrace {

namespace {

struct SuggestEngine {
  // Like a restarted server: loads from parts that are applied one by one.
  void reload() {
    if (place.get() == nullptr) return;
    OwnPlace<TermDictionary> loaded("dictionary");
    each_part(*place.get(), [&](const Part& part) {
      EXPECT_TRUE(operations.apply(loaded, part, {.now = {}, .decides = false}).answer);
    });
    place.remove();
    place.put(std::move(*loaded.get()));
  }

  SuggestOperations operations;
  OwnPlace<TermDictionary> place{"dictionary"};
};

using SuggestStep = std::function<Outcome<double>(SuggestEngine&, const Call&)>;

Outcome<double> as_number(Outcome<uint64_t> outcome) {
  return {static_cast<double>(outcome.answer.value()), std::move(outcome.consequences)};
}

class SuggestReplication {
 public:
  explicit SuggestReplication(uint64_t seed) : random_(seed) {}

  void step() {
    if (number(40) == 0) engines_[number(2)].reload();
    if (number(60) == 0) leader_ = 1 - leader_;
    const std::string term = std::to_string(number(30));
    const double amount = static_cast<double>(number(1000)) / 7;
    const std::vector<ByteView> terms = {term, "1", "2"};
    switch (number(number(100) == 0 ? 60 : 8)) {
      case 0:
        return execute([&](SuggestEngine& at, const Call& call) {
          return as_number(at.operations.remove(at.place, terms, call));
        });
      case 1:
        return execute([&](SuggestEngine& at, const Call& call) {
          return as_number(at.operations.decay(at.place, amount / 2 + 0.5, call));
        });
      default: {
        const SuggestAddRequest request{
            .term = term, .sets = number(3) == 0, .amount = std::min(kMaxScore, amount * (refuses() ? 1e9 : 1))};
        return execute([&](SuggestEngine& at, const Call& call) { return at.operations.add(at.place, request, call); });
      }
    }
  }

  void check() {
    const TermDictionary* here = engines_[0].place.get();
    const TermDictionary* there = engines_[1].place.get();
    ASSERT_EQ(here == nullptr, there == nullptr);
    if (here == nullptr) return;
    ASSERT_EQ(here->check(), nullptr);
    ASSERT_EQ(there->check(), nullptr);
    ASSERT_EQ(testing::dictionary_digest(*here), testing::dictionary_digest(*there));
  }

  uint64_t refused() const { return refused_; }

 private:
  uint64_t number(uint64_t below) { return random_() % below; }
  bool refuses() { return number(50) == 0; }

  void execute(const SuggestStep& step) {
    const auto done = step(engines_[leader_], {});
    refused_ += done.answer ? 0 : 1;
    const auto repeat = [&] {
      EXPECT_EQ(step(engines_[1 - leader_], {.now = {}, .decides = false}).answer.value(), done.answer.value());
    };
    done.consequences.effects.each(repeat, [](const Effect&) { FAIL() << "no other effect is known"; });
  }

  std::mt19937_64 random_;
  SuggestEngine engines_[2];
  size_t leader_ = 0;
  uint64_t refused_ = 0;
};

TEST(SuggestReplication, the_engine_that_is_told_the_effects_holds_an_equal_dictionary) {
  uint64_t refused = 0;
  testing::run_seeds(100, [&](uint64_t seed) {
    SuggestReplication history(seed);
    for (int i = 0; i < 3000 && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(::testing::Message() << "step " << i);
      history.step();
      history.check();
    }
    refused += history.refused();
  });
  if (!testing::everything_has_happened()) return;
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace millrace
