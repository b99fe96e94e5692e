#include "engine/keys/key_names.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

using Listed = std::vector<std::pair<std::string, int>>;

Listed listed(const KeyNames& names, std::optional<KeyType> type, std::optional<ByteView> after = {}) {
  Listed all;
  KeyNames::Walk walk(names, type);
  for (walk.begin(after); walk.is_at_name(); walk.next()) all.emplace_back(walk.name(), walk.type());
  return all;
}

TEST(KeyNames, AreListedInTheirOrderWhateverTheirTypes) {
  KeyNames names;
  EXPECT_TRUE(names.add(3, "b"));
  EXPECT_TRUE(names.add(0, "c"));
  EXPECT_TRUE(names.add(7, "a"));
  EXPECT_FALSE(names.add(0, "c"));
  EXPECT_EQ(listed(names, {}), (Listed{{"a", 7}, {"b", 3}, {"c", 0}}));
  EXPECT_EQ(listed(names, {}, "a"), (Listed{{"b", 3}, {"c", 0}}));
  EXPECT_EQ(listed(names, {}, "aa"), (Listed{{"b", 3}, {"c", 0}}));
  EXPECT_EQ(listed(names, KeyType{3}), (Listed{{"b", 3}}));
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(names.size(7), 1u);
}

TEST(KeyNames, ANameThatGetsAnotherTypeIsListedOnce) {
  KeyNames names;
  names.add(1, "a");
  names.add(2, "a");
  EXPECT_EQ(listed(names, {}), (Listed{{"a", 2}}));
  EXPECT_TRUE(names.remove("a"));
  EXPECT_FALSE(names.remove("a"));
  EXPECT_EQ(names.size(), 0u);
}

// The empty name, names that begin with others, zeros, and names that are longer than a chunk.
TEST(KeyNames, HoldTheSameAsASortedMap) {
  testing::run_seeds(20, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    KeyNames names;
    std::map<std::string, int> model;
    for (int step = 0; step < 3000; ++step) {
      std::string name;
      const size_t size = random() % 50 == 0 ? 8190 + random() % 5 : random() % 5;
      for (size_t i = 0; i < size; ++i) name += "\0\1ab\xff"[i > 5 ? 2 : random() % 5];
      const auto type = static_cast<KeyType>(random() % kKeyTypes);
      if (random() % 3 == 0) {
        EXPECT_EQ(names.remove(name), model.erase(name) == 1);
      } else {
        const auto found = model.find(name);
        EXPECT_EQ(names.add(type, name), found == model.end() || found->second != type);
        model[name] = type;
      }
      if (step % 300 != 0) continue;
      EXPECT_EQ(listed(names, {}), Listed(model.begin(), model.end()));
      EXPECT_EQ(listed(names, {}, name), Listed(model.upper_bound(name), model.end()));
      Listed of_type;
      for (const auto& [one, its_type] : model) {
        if (its_type == type) of_type.emplace_back(one, its_type);
      }
      EXPECT_EQ(listed(names, type), of_type);
      EXPECT_EQ(names.size(type), of_type.size());
    }
    while (names.free_some()) {
    }
  });
}

}  // namespace
}  // namespace millrace
