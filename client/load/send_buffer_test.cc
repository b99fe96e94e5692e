#include "client/load/send_buffer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace millrace::client {
namespace {

TEST(SendBuffer, BytesStayUntilTheyAreAnswered) {
  SendBuffer buffer;
  buffer.add("first");
  buffer.add("second");
  EXPECT_EQ(buffer.unsent(), "firstsecond");
  buffer.mark_sent(8);
  EXPECT_EQ(buffer.unsent(), "ond");
  buffer.mark_answered(5);
  EXPECT_EQ(buffer.oldest(6), "second");
  buffer.unsend();
  EXPECT_EQ(buffer.unsent(), "second");
  EXPECT_EQ(buffer.size(), 6U);
}

TEST(SendBuffer, BehavesLikeOneLongStringHoweverItIsUsed) {
  std::mt19937 random(11);
  SendBuffer buffer;
  std::string all;
  size_t answered = 0, sent = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::string piece(random() % 2000, static_cast<char>('a' + step % 26));
    buffer.add(piece);
    all += piece;
    const size_t send = random() % (all.size() - sent + 1);
    buffer.mark_sent(send);
    sent += send;
    const size_t answer = random() % (sent - answered + 1);
    ASSERT_EQ(buffer.oldest(answer), std::string_view(all).substr(answered, answer));
    buffer.mark_answered(answer);
    answered += answer;
    if (random() % 10 == 0) {
      buffer.unsend();
      sent = answered;
    }
    ASSERT_EQ(buffer.unsent(), std::string_view(all).substr(sent));
  }
}

}  // namespace
}  // namespace millrace::client
