#include "gateway/stream/reading.h"

#include <gtest/gtest.h>

namespace millrace::gateway {
namespace {

using client::Reply;

const TopicKey kLog{TopicKey::Kind::Log, "orders"};
const TopicKey kChannel{TopicKey::Kind::Channel, "news"};

Reply text(std::string content) { return {Reply::Kind::Text, 0, std::move(content), {}}; }
Reply number(int64_t value) { return {Reply::Kind::Integer, value, {}, {}}; }
Reply array(std::vector<Reply> items) { return {Reply::Kind::Array, 0, {}, std::move(items)}; }

std::string place(int64_t clock) { return std::to_string(clock) + ".69d813f22521c75a"; }
Reply published(int64_t clock) { return array({text(place(clock)), text("id"), text("content")}); }

// Up to which number the messages are missing; nullopt: there is no reset, or it is not about missing messages only.
std::optional<int64_t> gap_end(const client::Result<Reading>& reading) {
  return reading && reading->reset ? reading->reset->gap_end : std::nullopt;
}

TEST(Reading, SaysWhichMessagesOfALogAreMissing) {
  const Position after{"7.10", 10};
  const Reply message = array({number(16), text("tag"), text("entry")});
  // TREAD: the first and the last offset, and the epoch.
  EXPECT_EQ(gap_end(reading_of(kLog, after, array({array({number(16), number(16), number(7)}), message}))), 15);
  EXPECT_EQ(gap_end(reading_of(kLog, after, array({array({number(11), number(10), number(7)})}))), std::nullopt);
  // FEED.READ: the last element counts the missing messages.
  EXPECT_EQ(
      gap_end(feed_reading(kLog, after, array({text("orders"), text("7.16"), array({message}), number(0), number(5)}))),
      15);
}

TEST(Reading, SaysUpToWhichMessageThoseOfAChannelHaveExpired) {
  const Position after{place(10), 10};
  const auto feed = [&](std::vector<Reply> messages, int64_t end) {
    return gap_end(feed_reading(
        kChannel, after, array({text("news"), text(place(end)), array(std::move(messages)), number(0), number(3)})));
  };
  EXPECT_EQ(feed({published(14), published(15)}, 15), 13);
  EXPECT_EQ(feed({}, 13), 13);
  EXPECT_EQ(
      gap_end(reading_of(kChannel, after, array({array({published(14)}), text(place(14)), number(0), number(3)}))), 13);
}

TEST(Reading, OfALogThatLostItsLastMessagesHasNoGap) {
  const auto reading = reading_of(kLog, {"7.10", 10}, array({array({number(1), number(8), number(7)})}));
  ASSERT_TRUE(reading && reading->reset);
  EXPECT_EQ(reading->reset->json, R"({"reason":"lost","from":9,"to":10})");
  EXPECT_EQ(reading->position.number, 8);
  EXPECT_EQ(reading->reset->gap_end, std::nullopt);
}

}  // namespace
}  // namespace millrace::gateway
