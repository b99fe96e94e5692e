#include "engine/route/top_channels.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace millrace {

namespace {

TEST(TopChannels, are_those_with_the_highest_counts_whatever_the_order_they_come_in) {
  std::mt19937 random(1);
  TopChannels top;
  std::map<ChannelSlot, uint64_t> counts;
  for (int i = 0; i < 20'000; ++i) {
    const ChannelSlot channel(static_cast<uint32_t>(random() % 40 * (random() % 40) / 40));
    top.count(channel, ++counts[channel]);
  }
  std::vector<uint64_t> expected;
  for (const auto& [channel, count] : counts) expected.push_back(count);
  std::ranges::sort(expected, std::greater());
  ASSERT_EQ(top.entries().size(), TopChannels::kMost);
  for (size_t i = 0; i < TopChannels::kMost; ++i) {
    EXPECT_EQ(top.entries()[i].changes, expected[i]);
    EXPECT_EQ(counts[top.entries()[i].channel], expected[i]);
  }
}

TEST(TopChannels, one_that_is_gone_makes_room) {
  TopChannels top;
  for (uint32_t i = 0; i < 10; ++i) top.count(ChannelSlot(i), 100 + i);
  top.forget(ChannelSlot(9));
  top.count(ChannelSlot(50), 1);
  EXPECT_EQ(top.entries().front().channel, ChannelSlot(8));
  EXPECT_EQ(top.entries().back().channel, ChannelSlot(50));
}

}  // namespace

}  // namespace millrace
