// Feeds and their lines of dirty keys. feed_handout_test.cc tests what is handed out from a key.
#include "engine/feed/feeds.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

constexpr HashKey kHashKey = {4, 5, 6};
constexpr MonotonicMs kNow{1'000'000};

class FeedsTest : public ::testing::Test {
 protected:
  Feed& feed(ByteView name = "f", MonotonicMs now = kNow) { return **feeds.find_or_make(0, name, "ann", now); }
  Watch& watch(Feed& in, ByteView key) {
    return *feeds.watch(in, key, LogPosition{LogEpoch(1), Offset(0)}, false)->watch;
  }
  // The dirty keys in turn, each handed out completely.
  static std::vector<std::string> take_all(Feed& of) {
    std::vector<std::string> names;
    while (Watch* next = of.next()) {
      names.emplace_back(next->key_name());
      of.set_idle(*next);
    }
    return names;
  }

  WatchedKeys keys{kHashKey};
  FeedLimits limits;
  Feeds feeds{keys, limits};
};

using Names = std::vector<std::string>;

TEST_F(FeedsTest, AWrittenKeyIsInLineOnceUntilItIsRead) {
  Feed& f = feed();
  for (const char* key : {"a", "b", "c"}) watch(f, key);
  EXPECT_EQ(take_all(f), Names{});
  keys.wrote(0, "b", 1);
  keys.wrote(0, "a", 1);
  keys.wrote(0, "b", 2);
  EXPECT_EQ(f.dirty(), 2u);
  EXPECT_EQ(take_all(f), (Names{"b", "a"}));
  keys.wrote(0, "b", 3);
  EXPECT_EQ(take_all(f), Names{"b"});
  EXPECT_EQ(f.check(), nullptr);
}

TEST_F(FeedsTest, AKeyWithMoreToReadGoesToTheEndOfTheLine) {
  Feed& f = feed();
  for (const char* key : {"a", "b"}) f.set_dirty(watch(f, key));
  f.put_last(*f.next());
  EXPECT_EQ(take_all(f), (Names{"b", "a"}));
}

TEST_F(FeedsTest, EachFeedHasItsOwnLine) {
  Feed& f = feed("f");
  Feed& g = feed("g");
  watch(f, "k");
  watch(g, "k");
  keys.wrote(0, "k", 1);
  EXPECT_EQ(take_all(f), Names{"k"});
  EXPECT_EQ(take_all(g), Names{"k"});
  f.remove(*f.find("k"));
  keys.wrote(0, "k", 2);
  EXPECT_EQ(take_all(f), Names{});
  EXPECT_EQ(take_all(g), Names{"k"});
}

TEST_F(FeedsTest, AddingAgainReplacesThePosition) {
  Feed& f = feed();
  const auto first = feeds.watch(f, "k", BeforeBirth(), true);
  EXPECT_TRUE(first->is_new);
  EXPECT_EQ(f.unborn(), 1u);
  const FeedPosition position = LogPosition{LogEpoch(7), Offset(3)};
  const auto second = feeds.watch(f, "k", position, false);
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(second->watch, first->watch);
  EXPECT_EQ(second->watch->position, position);
  EXPECT_FALSE(second->watch->is_notice);
  EXPECT_EQ(f.size(), 1u);
  EXPECT_EQ(f.unborn(), 0u);
  EXPECT_EQ(f.check(), nullptr);
}

TEST_F(FeedsTest, AFeedBelongsToItsUserAndItsDatabase) {
  feed("f");
  EXPECT_EQ(feeds.find(0, "f", "bob", kNow).error().code, ErrorCode::NoRights);
  EXPECT_EQ(feeds.find_or_make(0, "f", "bob", kNow).error().code, ErrorCode::NoRights);
  EXPECT_EQ(feeds.find(1, "f", "ann", kNow).error().code, ErrorCode::NoFeed);
  EXPECT_TRUE(feeds.find_or_make(1, "f", "bob", kNow));
  EXPECT_TRUE(feeds.find(0, "f", "ann", kNow));
}

TEST_F(FeedsTest, AFeedExpiresWhenItWasNotUsedForAMinute) {
  Feed& f = feed();
  watch(f, "k");
  const MonotonicMs last = kNow + (kFeedIdleMs - 1);
  EXPECT_TRUE(feeds.find(0, "f", "ann", last));
  EXPECT_TRUE(feeds.take_expired(last).empty());
  EXPECT_EQ(feeds.find(0, "f", "ann", last + 1).error().code, ErrorCode::NoFeed);
  EXPECT_EQ(feeds.take_expired(last + 1).size(), 1u);
  EXPECT_EQ(feeds.size(), 0u);
  EXPECT_TRUE(keys.empty()) << "nobody watches any more";
}

TEST_F(FeedsTest, AWalkThatEndsEarlyGoesOnWithTheNextFeed) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(feeds.find_or_make(0, name, "ann", kNow));
  const auto walk = [&](size_t most) {
    size_t visited = 0;
    std::string names;
    feeds.each_in_turn([&](Feed& one) {
      names += one.name();
      return ++visited < most;
    });
    return names;
  };
  EXPECT_EQ(walk(2), "ab");
  EXPECT_EQ(walk(2), "ca") << "the first one does not come first each time";
  EXPECT_EQ(walk(9), "bca") << "each once at most";
  feeds.take_expired(kNow + kFeedIdleMs);
  EXPECT_EQ(walk(9), "");
}

TEST_F(FeedsTest, AFeedWithAWaitingReaderStays) {
  Feed& f = feed();
  f.waiting = 1;
  EXPECT_TRUE(feeds.find(0, "f", "ann", kNow + 10 * kFeedIdleMs));
  EXPECT_TRUE(feeds.take_expired(kNow + 10 * kFeedIdleMs).empty());
}

TEST_F(FeedsTest, AnExpiredFeedIsReplacedByAnEmptyOneOfAnyUser) {
  watch(feed(), "k");
  const MonotonicMs later = kNow + kFeedIdleMs;
  const auto other = feeds.find_or_make(0, "f", "bob", later);
  ASSERT_TRUE(other);
  EXPECT_EQ((*other)->size(), 0u);
  EXPECT_EQ(feeds.take_expired(later).size(), 1u) << "the old one is still to be freed";
  EXPECT_EQ(feeds.size(), 1u);
}

TEST_F(FeedsTest, ThereAreOnlySoManyFeedsAndKeys) {
  limits = {.feeds = 2, .keys = 2};
  Feed& f = feed("f");
  feed("g");
  EXPECT_EQ(feeds.find_or_make(0, "h", "ann", kNow).error().code, ErrorCode::Full);
  watch(f, "a");
  watch(f, "b");
  EXPECT_EQ(feeds.watch(f, "c", BeforeBirth(), false).error().code, ErrorCode::Full);
  EXPECT_TRUE(feeds.watch(f, "b", BeforeBirth(), false)) << "a known one can be replaced";
}

TEST_F(FeedsTest, ReadersAreWokenOnceForAllThatComes) {
  Feed& f = feed();
  for (const char* key : {"a", "b"}) watch(f, key);
  keys.wrote(0, "a", 1);
  EXPECT_FALSE(feeds.has_woken()) << "nobody waits";
  f.waiting = 1;
  f.wake_readers();
  EXPECT_EQ(feeds.take_woken(), std::vector<Feed*>{&f});
  EXPECT_FALSE(feeds.has_woken());
  keys.wrote(0, "b", 1);
  keys.wrote(0, "a", 2);
  EXPECT_EQ(feeds.take_woken(), std::vector<Feed*>{&f});
  take_all(f);
  f.wake_readers();
  EXPECT_FALSE(feeds.has_woken()) << "nothing is dirty";
  f.waiting = 0;
}

TEST_F(FeedsTest, AFeedThatIsRemovedIsNotWoken) {
  Feed& f = feed();
  watch(f, "a");
  f.waiting = 1;
  keys.wrote(0, "a", 1);
  f.waiting = 0;
  feeds.take_expired(kNow + kFeedIdleMs);
  EXPECT_TRUE(feeds.take_woken().empty());
}

TEST_F(FeedsTest, KeysThatAreNotThereYetAreAskedForInTurn) {
  Feed& f = feed();
  EXPECT_EQ(f.next_unborn(), nullptr);
  for (const char* key : {"a", "b"}) feeds.watch(f, key, BeforeBirth(), false);
  EXPECT_EQ(f.next_unborn()->key_name(), "a");
  EXPECT_EQ(f.next_unborn()->key_name(), "b");
  EXPECT_EQ(f.next_unborn()->key_name(), "a");
}

TEST_F(FeedsTest, AWatchedKeyTakesLessThan200Bytes) {
  Feed& f = feed();
  constexpr size_t kKeys = 10'000;
  for (size_t i = 0; i < kKeys; ++i) watch(f, "user:" + std::to_string(100'000 + i) + ":messages");
  EXPECT_LT((f.memory() + keys.memory()) / kKeys, 200u);
}

// A feed is a queue without duplicates.
TEST(FeedsModel, ARandomHistoryHandsOutWhatAQueueWould) {
  testing::run_seeds(30, [](uint64_t seed) {
    std::mt19937_64 rng(seed);
    WatchedKeys keys(kHashKey);
    const FeedLimits limits;
    Feeds feeds(keys, limits);
    Feed& f = **feeds.find_or_make(0, "f", "", kNow);
    std::set<std::string> watched;
    std::deque<std::string> line;
    std::map<std::string, uint64_t> marks;
    for (int step = 0; step < 3000; ++step) {
      const std::string key = std::to_string(rng() % 60);
      switch (rng() % 5) {
        case 0:
          feeds.watch(f, key, LogPosition{LogEpoch(1), Offset(0)}, false);
          watched.insert(key);
          std::erase(line, key);
          break;
        case 1:
          if (Watch* watch = f.find(key)) f.remove(*watch);
          watched.erase(key);
          std::erase(line, key);
          break;
        case 2:
          if (f.next() == nullptr) break;
          ASSERT_EQ(f.next()->key_name(), line.front());
          line.pop_front();
          f.set_idle(*f.next());
          break;
        default:
          ASSERT_EQ(keys.wrote(0, key, ++marks[key]), watched.contains(key));
          if (watched.contains(key) && std::ranges::find(line, key) == line.end()) line.push_back(key);
      }
      ASSERT_EQ(f.size(), watched.size());
      ASSERT_EQ(f.dirty(), line.size());
      if (step % 50 == 0) {
        ASSERT_EQ(f.check(), nullptr);
      }
    }
  });
}

}  // namespace
}  // namespace millrace
