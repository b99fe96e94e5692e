// What a feed hands out from logs and channels, and its positions afterwards.
#include "engine/feed/feed_handout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/feed/feeds.h"

namespace millrace {
namespace {

constexpr HashKey kHashKey = {7};
constexpr UnixMs kWall{1'000'000};

class Answer final : public FeedSink {
 public:
  struct Key {
    std::string position;
    std::vector<std::string> tags;
    uint64_t announced = 0;
    bool more = false;
    uint64_t missed = 0;
  };
  std::vector<Key> keys;

 private:
  void begin(const Watch&, ByteView position, uint64_t messages) override {
    keys.push_back({.position = std::string(position), .tags = {}, .announced = messages});
  }
  void message(const Message& message) override { keys.back().tags.emplace_back(message.tag); }
  void message(const ChannelPosition&, const Message& message) override { keys.back().tags.emplace_back(message.tag); }
  void end(bool more, uint64_t missed) override {
    keys.back().more = more;
    keys.back().missed = missed;
    EXPECT_EQ(keys.back().announced, keys.back().tags.size());
  }
  void lost(const Watch&, bool) override { ADD_FAILURE() << "read_feed() says that, not a handout"; }
};

using Tags = std::vector<std::string>;

class FeedHandoutTest : public ::testing::Test {
 protected:
  FeedHandoutTest() { log.set_epoch(LogEpoch(5)); }

  void write(const Tags& tags, size_t size = 10) {
    for (const std::string& tag : tags) log.append(tag, std::string(size, 'x'));
  }
  void publish(const Tags& ids, UnixMs date = kWall) {
    channel.tick(date);
    for (const std::string& id : ids) channel.publish(id, "content", {});
  }
  Watch& watch(FeedPosition position, bool is_notice = false) {
    return *feeds.watch(**feeds.find_or_make(0, "f", "", {}), "k", position, is_notice)->watch;
  }
  static FeedPosition at(uint64_t offset, uint64_t epoch = 5) { return LogPosition{LogEpoch(epoch), Offset(offset)}; }
  template <class Object, class... More>
  Handed give(const Object& object, Watch& of, uint64_t messages = 100, uint64_t bytes = 1000, More... more) {
    answer = {};
    FeedHandout handout(messages, bytes, answer);
    const Handed handed = handout.give(object, of, more...);
    is_full = handout.is_full();
    return handed;
  }
  Handed give_channel(Watch& of, UnixMs wall = kWall, uint64_t messages = 100) {
    return give(channel, of, messages, 1000, wall);
  }
  const Answer::Key& key() const { return answer.keys.at(0); }
  static FeedStart start(ByteView text) { return read_feed_start(text).value(); }

  WatchedKeys keys{kHashKey};
  FeedLimits limits;
  Feeds feeds{keys, limits};
  Log log;
  Channel channel{{.secret = {1}, .birth = Clock(), .expire_ms = 100, .active = kWall}};
  Answer answer;
  bool is_full = false;
};

// --- logs ---

TEST_F(FeedHandoutTest, GivesTheMessagesOfALogBehindThePosition) {
  write({"a", "b", "c"});
  Watch& w = watch(at(1));
  EXPECT_EQ(give(log, w), Handed::All);
  EXPECT_EQ(key().tags, (Tags{"b", "c"}));
  EXPECT_EQ(key().position, "5.3");
  EXPECT_FALSE(key().more);
  EXPECT_EQ(w.position, at(3));
  EXPECT_EQ(give(log, w), Handed::Nothing);
  EXPECT_TRUE(answer.keys.empty());
}

TEST_F(FeedHandoutTest, AFullAnswerLeavesTheRestForTheNextOne) {
  write({"a", "b", "c"});
  Watch& w = watch(at(0));
  EXPECT_EQ(give(log, w, 2), Handed::Some);
  EXPECT_EQ(key().tags, (Tags{"a", "b"}));
  EXPECT_TRUE(key().more);
  EXPECT_TRUE(is_full);
  EXPECT_EQ(give(log, w, 2), Handed::All);
  EXPECT_EQ(key().tags, Tags{"c"});
}

TEST_F(FeedHandoutTest, BytesEndAnAnswerButNeverBeforeItsFirstMessage) {
  write({"a", "b", "c"}, 99);
  Watch& w = watch(at(0));
  EXPECT_EQ(give(log, w, 100, 250), Handed::Some);
  EXPECT_EQ(key().tags, (Tags{"a", "b"}));
  EXPECT_TRUE(is_full);
  EXPECT_EQ(give(log, w, 100, 1), Handed::All);
  EXPECT_EQ(key().tags, Tags{"c"});
  // Room that another key has used is gone.
  w.position = at(0);
  Watch& second = *feeds.watch(**feeds.find_or_make(0, "f", "", {}), "k2", at(2), false)->watch;
  answer = {};
  FeedHandout handout(100, 150, answer);
  EXPECT_EQ(handout.give(log, w), Handed::Some);
  EXPECT_EQ(key().tags, Tags{"a"});
  EXPECT_EQ(handout.give(log, second), Handed::NoRoom);
  EXPECT_EQ(second.position, at(2));
  EXPECT_EQ(answer.keys.size(), 1u);
}

TEST_F(FeedHandoutTest, CountsWhatWasEvictedBeforeItWasRead) {
  write({"a", "b", "c", "d"});
  log.evict_before(Offset(4));
  Watch& w = watch(at(1));
  EXPECT_EQ(give(log, w), Handed::All);
  EXPECT_EQ(key().missed, 2u);
  EXPECT_EQ(key().tags, Tags{"d"});
  log.evict_before(Offset(5));
  w.position = at(3);
  EXPECT_EQ(give(log, w), Handed::All) << "that d is gone is news";
  EXPECT_EQ(key().missed, 1u);
  EXPECT_EQ(key().tags, Tags{});
  EXPECT_EQ(w.position, at(4));
  EXPECT_EQ(give(log, w), Handed::Nothing);
}

TEST_F(FeedHandoutTest, CrossesTheGapsThatCompactionLeaves) {
  write({"same", "same", "other", "same"});
  Retention latest;
  latest.latest = true;
  log.set_retention(latest);
  while (log.wants_compaction()) log.compact(kHashKey, 100);
  ASSERT_NE(log.missing() + log.first().value(), 1u) << "there is a gap, or the first ones are gone";
  Watch& w = watch(at(0));
  EXPECT_EQ(give(log, w, 1), Handed::Some);
  EXPECT_EQ(key().tags, Tags{"other"});
  EXPECT_EQ(key().missed, 0u) << "nothing was evicted";
  EXPECT_EQ(give(log, w), Handed::All);
  EXPECT_EQ(key().tags, Tags{"same"});
  EXPECT_EQ(w.position, at(4));
}

TEST_F(FeedHandoutTest, ADeletedEndIsNoNewsAndNothingToComeBackFor) {
  write({"a", "b", "c"});
  Removal newest;
  newest.add(Offset(3));
  log.delete_messages(newest);
  Watch& w = watch(at(2));
  EXPECT_EQ(give(log, w), Handed::Nothing);
  EXPECT_FALSE(has_news(log, {LogEpoch(5), Offset(2)}));
  w.position = at(0);
  EXPECT_EQ(give(log, w), Handed::All);
  EXPECT_EQ(key().tags, (Tags{"a", "b"}));
  EXPECT_FALSE(key().more);
  EXPECT_EQ(give(log, w), Handed::Nothing);
  write({"d"});
  EXPECT_EQ(give(log, w), Handed::All);
  EXPECT_EQ(key().tags, Tags{"d"});
  EXPECT_EQ(w.position, at(4));
  EXPECT_EQ(key().missed, 0u);
}

TEST_F(FeedHandoutTest, OfALogWhoseMessagesAreAllDeletedNothingIsNew) {
  write({"a", "b"});
  Removal all;
  all.add(Offset(1));
  all.add(Offset(2));
  log.delete_messages(all);
  for (const uint64_t offset : {0u, 1u, 2u}) EXPECT_EQ(give(log, watch(at(offset))), Handed::Nothing) << offset;
  EXPECT_EQ(give(log, watch(at(1), true)), Handed::Nothing) << "nor is there a notice";
}

TEST_F(FeedHandoutTest, AnotherLogUnderTheNameIsGone) {
  write({"a"});
  EXPECT_EQ(give(log, watch(at(0, 6))), Handed::Gone) << "another epoch";
  EXPECT_EQ(give(log, watch(at(2))), Handed::Gone) << "it was put back to an earlier state";
  EXPECT_EQ(give(log, watch(ChannelPosition())), Handed::Gone) << "it was a channel";
  EXPECT_EQ(give_channel(watch(at(0))), Handed::Gone) << "it was a log";
}

TEST_F(FeedHandoutTest, OfAKeyThatWasNotThereEverythingIsNew) {
  Watch& w = watch(BeforeBirth());
  EXPECT_EQ(give(log, w), Handed::Nothing);
  EXPECT_EQ(w.position, at(0)) << "now it is this log";
  w.position = BeforeBirth();
  write({"a"});
  EXPECT_EQ(give(log, w), Handed::All);
  EXPECT_EQ(key().tags, Tags{"a"});
  w.position = BeforeBirth();
  publish({"m"});
  EXPECT_EQ(give_channel(w), Handed::All);
  EXPECT_EQ(key().tags, Tags{"m"});
}

TEST_F(FeedHandoutTest, ANoticeComesWithoutMessagesAndOnlyIfThereAreNewOnes) {
  write({"a"});
  Watch& w = watch(at(1), true);
  EXPECT_EQ(give(log, w), Handed::Nothing);
  write({"b", "c"});
  EXPECT_EQ(give(log, w, 1), Handed::All);
  EXPECT_EQ(key().position, "5.3");
  EXPECT_EQ(key().tags, Tags{});
  EXPECT_TRUE(is_full) << "it counts as a message";
  EXPECT_EQ(give(log, w), Handed::Nothing);
  publish({"m"});
  Watch& of_channel = watch(channel.position_at(Offset(0)), true);
  EXPECT_EQ(give_channel(of_channel), Handed::All);
  EXPECT_EQ(key().tags, Tags{});
  EXPECT_EQ(give_channel(of_channel), Handed::Nothing);
}

// --- channels ---

TEST_F(FeedHandoutTest, GivesTheMessagesOfAChannelBehindThePosition) {
  publish({"a", "b", "c"});
  Watch& w = watch(channel.position_at(Offset(1)));
  EXPECT_EQ(give_channel(w, kWall, 1), Handed::Some);
  EXPECT_EQ(key().tags, Tags{"b"});
  EXPECT_EQ(key().position, to_text(channel.position_at(Offset(2))));
  EXPECT_EQ(give_channel(w), Handed::All);
  EXPECT_EQ(key().tags, Tags{"c"});
  EXPECT_EQ(give_channel(w), Handed::Nothing);
}

TEST_F(FeedHandoutTest, CountsWhatExpiredBeforeItWasRead) {
  publish({"a", "b"});
  Watch& w = watch(channel.position_at(Offset(1)));
  publish({"c"}, kWall + 50);
  EXPECT_EQ(give_channel(w, kWall + 101), Handed::All);
  EXPECT_EQ(key().tags, Tags{"c"});
  EXPECT_EQ(key().missed, 1u);
  w.position = channel.position_at(Offset(2));
  EXPECT_EQ(give_channel(w, kWall + 1000), Handed::All);
  EXPECT_EQ(key().tags, Tags{});
  EXPECT_EQ(key().missed, 1u);
  EXPECT_EQ(give_channel(w, kWall + 1000), Handed::Nothing);
}

TEST_F(FeedHandoutTest, AnotherLifeOrStateOfAChannelIsGone) {
  publish({"a", "b"});
  ChannelPosition position = channel.position_at(Offset(1));
  position.life = *position.life + 1;
  EXPECT_EQ(give_channel(watch(position)), Handed::Gone);
  position = channel.position_at(Offset(1));
  ++position.mark;
  EXPECT_EQ(give_channel(watch(position)), Handed::Gone);
  position = channel.position_at(Offset(2));
  position.clock = position.clock.after(1);
  EXPECT_EQ(give_channel(watch(position)), Handed::Gone);
}

// --- where a watch begins ---

TEST_F(FeedHandoutTest, AWatchOfALogBeginsWhereTheClientSays) {
  write({"a", "b", "c"});
  log.evict_before(Offset(2));
  EXPECT_EQ(begin_in(log, start("-")), at(1));
  EXPECT_EQ(begin_in(log, start("$")), at(3));
  EXPECT_EQ(begin_in(log, start("0")), at(0));
  EXPECT_EQ(begin_in(log, start("2")), at(2));
  EXPECT_EQ(begin_in(log, start("5.3")), at(3));
  for (const char* bad : {"4", "6.3", "5.4", "-1.0000000f"}) {
    const auto position = begin_in(log, start(bad));
    ASSERT_FALSE(position) << bad;
    EXPECT_EQ(position.error().code, ErrorCode::BadPosition);
  }
}

TEST_F(FeedHandoutTest, AWatchOfAChannelBeginsWhereTheClientSays) {
  publish({"a", "b"});
  EXPECT_EQ(begin_in(channel, start("-"), kWall), FeedPosition(channel.position_at(Offset(0))));
  EXPECT_EQ(begin_in(channel, start("$"), kWall), FeedPosition(channel.position_at(Offset(2))));
  const ChannelPosition first = channel.position_at(Offset(1));
  EXPECT_EQ(begin_in(channel, start(to_text(first)), kWall), FeedPosition(first));
  EXPECT_EQ(begin_in(channel, start("7"), kWall).error().code, ErrorCode::BadPosition);
  EXPECT_EQ(begin_in(channel, start("2.0123456789abcdef"), kWall).error().code, ErrorCode::BadPosition);
}

TEST_F(FeedHandoutTest, AKeyThatIsNotThereHasNoPositions) {
  for (const char* text : {"-", "$", "0"}) EXPECT_EQ(begin_unborn(start(text)), FeedPosition(BeforeBirth()));
  for (const char* text : {"1", "5.0", "1.0000000f"}) {
    EXPECT_EQ(begin_unborn(start(text)).error().code, ErrorCode::BadPosition) << text;
  }
}

TEST(FeedPositionText, IsReadAsItWasWritten) {
  for (const LogPosition& position : {LogPosition{std::nullopt, Offset(0)}, LogPosition{std::nullopt, kMaxOffset},
                                      LogPosition{LogEpoch(0), Offset(1)}, LogPosition{kMaxEpoch, kMaxOffset}}) {
    EXPECT_EQ(read_log_position(to_text(position)), position);
  }
  for (const ByteView text :
       {"", ".", "1.", ".1", "01", "1.01", "-1", "+1", "1 ", "9223372036854775808", "281474976710656.1", "1.2.3"}) {
    EXPECT_EQ(read_log_position(text), std::nullopt) << text;
  }
  EXPECT_EQ(read_feed_start("nonsense"), std::nullopt);
  EXPECT_TRUE(read_feed_start("5.00000001")->in_channel);
}

}  // namespace
}  // namespace millrace
