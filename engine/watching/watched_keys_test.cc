#include "engine/watching/watched_keys.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

class Counting final : public Watcher {
 public:
  int told = 0;

 private:
  void key_changed() override { ++told; }
};

constexpr HashKey kKey = {1, 2, 3};

class WatchedKeysTest : public ::testing::Test {
 protected:
  ~WatchedKeysTest() override { EXPECT_EQ(keys.check(), nullptr); }
  WatchedKeys keys{kKey};
};

TEST_F(WatchedKeysTest, AWriteNotifiesEachWatcherOfTheKeyAndNoOther) {
  Counting a, b, other, elsewhere;
  keys.add(0, "k", a);
  keys.add(0, "k", b);
  keys.add(0, "k2", other);
  keys.add(1, "k", elsewhere);
  EXPECT_TRUE(keys.wrote(0, "k", 2));
  EXPECT_EQ(a.told, 1);
  EXPECT_EQ(b.told, 1);
  EXPECT_EQ(other.told + elsewhere.told, 0);
  EXPECT_FALSE(keys.wrote(2, "k", 2));
  EXPECT_FALSE(keys.wrote(0, "", 2));
  for (Counting* one : {&a, &b, &other, &elsewhere}) keys.remove(*one);
  EXPECT_TRUE(keys.empty());
}

TEST_F(WatchedKeysTest, AMarkThatDoesNotGrowNotifiesNoWatcher) {
  Counting a;
  keys.add(0, "k", a);
  keys.wrote(0, "k", 5);
  EXPECT_TRUE(keys.wrote(0, "k", 5)) << "it is watched all the same";
  EXPECT_EQ(a.told, 1);
  EXPECT_TRUE(keys.changed(0, "k"));
  EXPECT_EQ(a.told, 2);
  keys.wrote(0, "k", 2);
  EXPECT_EQ(a.told, 3) << "another object under the name counts from the beginning";
  keys.remove(a);
}

TEST_F(WatchedKeysTest, AllKeysOfADatabaseChangeAtOnce) {
  Counting a, b;
  keys.add(0, "k", a);
  keys.add(3, "k", b);
  keys.all_changed(3);
  EXPECT_EQ(a.told, 0);
  EXPECT_EQ(b.told, 1);
  keys.all_changed(-1);
  EXPECT_EQ(a.told, 1);
  EXPECT_EQ(b.told, 2);
  keys.remove(a);
  keys.remove(b);
}

TEST_F(WatchedKeysTest, AWatcherKnowsItsKey) {
  Counting a;
  keys.add(7, "some name", a);
  EXPECT_EQ(a.key_name(), "some name");
  EXPECT_EQ(a.key_database(), 7);
  EXPECT_EQ(keys.find(7, "some name", [](const Watcher&) { return true; }), &a);
  EXPECT_EQ(keys.find(7, "some name", [](const Watcher&) { return false; }), nullptr);
  keys.remove(a);
}

TEST(WatchedKeysModel, ARandomHistoryNotifiesTheSameWatchersAsASimpleMap) {
  testing::run_seeds(30, [](uint64_t seed) {
    std::mt19937_64 rng(seed);
    WatchedKeys keys(kKey);
    std::vector<std::pair<std::string, std::unique_ptr<Counting>>> watching;
    std::map<const Counting*, int> expected;
    for (int step = 0; step < 2000; ++step) {
      const std::string name = "key " + std::to_string(rng() % 40);
      if (rng() % 3 == 0) {
        watching.emplace_back(name, std::make_unique<Counting>());
        keys.add(0, name, *watching.back().second);
      } else if (rng() % 2 == 0 && !watching.empty()) {
        const size_t at = rng() % watching.size();
        keys.remove(*watching[at].second);
        expected.erase(watching[at].second.get());
        watching.erase(watching.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        keys.changed(0, name);
        for (const auto& [key, watcher] : watching) expected[watcher.get()] += key == name ? 1 : 0;
      }
      if (step % 100 == 0) {
        ASSERT_EQ(keys.check(), nullptr);
        for (const auto& [key, watcher] : watching) ASSERT_EQ(watcher->told, expected[watcher.get()]);
      }
    }
    for (const auto& [key, watcher] : watching) keys.remove(*watcher);
    EXPECT_TRUE(keys.empty());
  });
}

}  // namespace
}  // namespace millrace
