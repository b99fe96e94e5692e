// What happens to the dirty keys of a feed when it is read.
#include "engine/feed/feed_reading.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/feed/feeds.h"

namespace millrace {
namespace {

constexpr HashKey kHashKey = {7};
constexpr UnixMs kWall{1'000'000};

using Lines = std::vector<std::string>;

// An answer as one line for each key.
class Answer final : public FeedSink {
 public:
  Lines lines;

 private:
  void begin(const Watch& watch, ByteView position, uint64_t) override {
    lines.push_back(std::string(watch.key_name()) + " " + std::string(position) + ":");
  }
  void message(const Message& message) override { lines.back() += " " + std::string(message.tag); }
  void message(const ChannelPosition&, const Message& message) override {
    lines.back() += " " + std::string(message.tag);
  }
  void end(bool more, uint64_t) override { lines.back() += more ? " more" : ""; }
  void lost(const Watch& watch, bool is_elsewhere) override {
    lines.push_back(std::string(watch.key_name()) + (is_elsewhere ? " moved" : " gone"));
  }
};

// Logs by name.
class Keys final : public FeedKeys {
 public:
  std::map<std::string, Log, std::less<>> logs;
  std::set<std::string, std::less<>> hidden, elsewhere, other;
  Lines reported;

 private:
  Found find(ByteView key) override {
    found_ = key;
    if (hidden.contains(key)) return {.is_hidden = true};
    const auto log = logs.find(key);
    if (log != logs.end()) return {.log = &log->second};
    return {.is_missing = !other.contains(key)};
  }
  bool is_elsewhere(ByteView key) override { return elsewhere.contains(key); }
  void report_writes() override { reported.push_back(found_); }

  std::string found_;
};

class FeedReadingTest : public ::testing::Test {
 protected:
  Watch& watch(ByteView key, FeedPosition position) {
    Watch& made = *feeds.watch(feed(), key, position, false)->watch;
    feed().set_dirty(made);
    return made;
  }
  Feed& feed() { return **feeds.find_or_make(0, "f", "", {}); }
  static FeedPosition at(uint64_t offset) { return LogPosition{LogEpoch(5), Offset(offset)}; }
  void write(const std::string& key, const Lines& tags) {
    Log& log = keys.logs[key];
    log.set_epoch(LogEpoch(5));
    for (const std::string& tag : tags) log.append(tag, "entry");
  }
  Lines read(uint64_t messages = 100) {
    Answer answer;
    FeedHandout handout(messages, 1000, answer);
    read_feed(feed(), keys, handout, kWall);
    EXPECT_EQ(feed().check(), nullptr);
    return answer.lines;
  }

  WatchedKeys watched{kHashKey};
  FeedLimits limits;
  Feeds feeds{watched, limits};
  Keys keys;
};

TEST_F(FeedReadingTest, AKeyThatWasReadIsIdleAndItsWritesAreReported) {
  write("a", {"x", "y"});
  watch("a", at(1));
  EXPECT_EQ(read(), Lines{"a 5.2: y"});
  EXPECT_EQ(feed().dirty(), 0u);
  EXPECT_EQ(feed().messages, 1u);
  EXPECT_EQ(keys.reported, Lines{"a"});
  EXPECT_EQ(read(), Lines{});
}

TEST_F(FeedReadingTest, AKeyWithMoreGoesBehindTheOthers) {
  write("a", {"x", "y"});
  write("b", {"z"});
  watch("a", at(0));
  watch("b", at(0));
  EXPECT_EQ(read(1), Lines{"a 5.1: x more"});
  EXPECT_EQ(read(), (Lines{"b 5.1: z", "a 5.2: y"}));
}

TEST_F(FeedReadingTest, AKeyThatIsGoneLeavesTheFeedAndCountsAsAMessage) {
  watch("a", at(1));
  keys.other = {"b"};
  watch("b", at(1));
  keys.elsewhere = {"c"};
  watch("c", at(1));
  EXPECT_EQ(read(2), (Lines{"a gone", "b gone"}));
  EXPECT_EQ(read(2), Lines{"c moved"});
  EXPECT_EQ(feed().size(), 0u);
  EXPECT_TRUE(keys.reported.empty());
}

TEST_F(FeedReadingTest, AReaderWithoutRightsDoesNotLearnWhereTheKeyIs) {
  write("a", {"x"});
  keys.hidden = {"a"};
  keys.elsewhere = {"a"};
  watch("a", at(0));
  EXPECT_EQ(read(), Lines{"a gone"});
  EXPECT_EQ(feed().size(), 0u);
}

TEST_F(FeedReadingTest, AKeyThatIsNotBornStaysUnlessItsSlotHasMoved) {
  watch("a", BeforeBirth());
  keys.elsewhere = {"b"};
  watch("b", BeforeBirth());
  EXPECT_EQ(read(), Lines{"b moved"});
  EXPECT_EQ(feed().size(), 1u);
  write("a", {"x"});
  feed().set_dirty(*feed().find("a"));
  EXPECT_EQ(read(), Lines{"a 5.1: x"});
}

TEST_F(FeedReadingTest, LooksAtSoManyKeysAtMost) {
  for (int i = 0; i < kMostKeysOfRead + 5; ++i) watch("k" + std::to_string(i), BeforeBirth());
  EXPECT_EQ(read(), Lines{});
  EXPECT_EQ(feed().dirty(), 5u);
}

}  // namespace
}  // namespace millrace
