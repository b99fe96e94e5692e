#include "engine/channel/receipt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace millrace {
namespace {

constexpr HashKey kKey = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
constexpr int64_t kClocks[] = {Clock::kMin, Clock::kMin + 1, -17, -1, 0, 1, 42, Clock::kMax - 1, Clock::kMax};

constexpr uint32_t kMark = 0x0badcafe;

std::optional<Receipt> read(ByteView receipt) { return read_receipt(kKey, "channel", "subscriber", receipt); }
std::string issue(int64_t clock) { return issue_receipt(kKey, "channel", "subscriber", {Clock(clock), kMark}); }

TEST(Receipt, LeadsBackToItsClock) {
  for (int64_t clock : kClocks) {
    const std::string receipt = issue(clock);
    const auto read_back = read(receipt);
    ASSERT_TRUE(read_back) << receipt;
    EXPECT_EQ(*read_back, (Receipt{Clock(clock), kMark}));
  }
}

TEST(Receipt, IsItsClockItsMarkAndSixteenDigits) {
  for (int64_t clock : kClocks) {
    const std::string receipt = issue(clock);
    const std::string text = std::to_string(clock) + ".0badcafe.";
    ASSERT_TRUE(receipt.starts_with(text)) << receipt;
    EXPECT_EQ(receipt.size(), text.size() + 16);
    EXPECT_EQ(receipt.find_first_not_of("0123456789abcdef", text.size()), std::string::npos) << receipt;
  }
}

TEST(Receipt, IsTheSameEveryTimeItIsIssued) { EXPECT_EQ(issue(42), issue(42)); }

// Clients hold receipts across an upgrade; this one was computed by another SipHash.
// Do not change.
TEST(Receipt, StaysValidInLaterVersions) { EXPECT_EQ(issue(42), "42.0badcafe.d45eda141254831a"); }

TEST(Receipt, WithAnyByteAlteredIsRefused) {
  for (int64_t clock : {int64_t{42}, Clock::kMin, Clock::kMax}) {
    const std::string receipt = issue(clock);
    for (size_t at = 0; at < receipt.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string altered = receipt;
        altered[at] = static_cast<char>(byte);
        EXPECT_EQ(read(altered).has_value(), altered == receipt) << altered;
      }
    }
  }
}

TEST(Receipt, OfAnyOtherLengthIsRefused) {
  for (int64_t clock : kClocks) {
    const std::string receipt = issue(clock);
    for (size_t size = 0; size < receipt.size(); ++size) {
      EXPECT_FALSE(read(receipt.substr(0, size)));
      EXPECT_FALSE(read(receipt.substr(receipt.size() - size)));
    }
    for (const char* more : {"0", " ", "\n", ".", "0000000000000000"}) {
      EXPECT_FALSE(read(receipt + more));
      EXPECT_FALSE(read(more + receipt));
    }
    EXPECT_FALSE(read(receipt + '\0'));
    EXPECT_FALSE(read(receipt + std::string(100'000, '0')));
  }
}

TEST(Receipt, HasOneSpelling) {
  const std::string stamp = issue(0).substr(1);
  EXPECT_TRUE(read("0" + stamp));
  for (const char* zero : {"-0", "+0", "00", " 0", "0 ", "0x0", "0.0", ""}) EXPECT_FALSE(read(zero + stamp)) << zero;
  const std::string receipt = issue(42);
  std::string upper = receipt;
  std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  ASSERT_NE(upper, receipt) << "this stamp has no letters";
  EXPECT_FALSE(read(upper));
}

TEST(Receipt, OfAClockThatDoesNotExistIsRefused) {
  const std::string stamp = issue(Clock::kMax).substr(16);
  for (const char* clock : {"9007199254740992", "-9007199254740992", "9223372036854775808", "99999999999999999"}) {
    EXPECT_FALSE(read(clock + stamp)) << clock;
  }
}

TEST(Receipt, IsWorthNothingForAnotherChannelSubscriberOrServer) {
  const std::string receipt = issue(42);
  EXPECT_FALSE(read_receipt(kKey, "another", "subscriber", receipt));
  EXPECT_FALSE(read_receipt(kKey, "channel", "another", receipt));
  EXPECT_FALSE(read_receipt(kKey, "subscriber", "channel", receipt));
  for (size_t i = 0; i < kKey.size(); ++i) {
    HashKey key = kKey;
    key[i] ^= 1;
    EXPECT_FALSE(read_receipt(key, "channel", "subscriber", receipt));
  }
}

TEST(Receipt, SeparatesTheChannelsNameFromTheSubscribers) {
  const std::string receipt = issue_receipt(kKey, "ab", "c", {Clock(1), kMark});
  EXPECT_TRUE(read_receipt(kKey, "ab", "c", receipt));
  for (const auto& [channel, subscriber] :
       {std::pair<ByteView, ByteView>{"a", "bc"}, {"abc", ""}, {"", "abc"}, {"ab\x01", "c"}, {"ab", "c\x01"}}) {
    EXPECT_FALSE(read_receipt(kKey, channel, subscriber, receipt)) << channel << ' ' << subscriber;
  }
}

TEST(Receipt, NamesAreAnyBytes) {
  const std::string names[] = {std::string(1, '\0'), std::string(2, '\0'), "\xff\n", std::string(512, 'x')};
  for (const std::string& channel : names) {
    for (const std::string& subscriber : names) {
      const std::string receipt = issue_receipt(kKey, channel, subscriber, {Clock(5), kMark});
      EXPECT_TRUE(read_receipt(kKey, channel, subscriber, receipt));
      EXPECT_FALSE(read_receipt(kKey, channel + "x", subscriber, receipt));
    }
  }
}

}  // namespace
}  // namespace millrace
