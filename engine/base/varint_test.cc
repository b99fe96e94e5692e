#include "engine/base/varint.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace {
namespace {

std::string encoded(uint64_t value) {
  std::string bytes;
  append_varint(bytes, value);
  return bytes;
}

// The number whose encoding is exactly `bytes`, or nothing.
bool decodes(const std::string& bytes, uint64_t& value) {
  return get_varint(bytes.data(), bytes.data() + bytes.size(), value) == bytes.data() + bytes.size();
}

std::vector<uint64_t> interesting_numbers() {
  std::vector<uint64_t> numbers = {0, UINT64_MAX};
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    numbers.insert(numbers.end(), {power - 1, power, power + 1});
  }
  return numbers;
}

TEST(Varint, IsWrittenAsItsHeaderSays) {
  EXPECT_EQ(encoded(5), "\x05");
  EXPECT_EQ(encoded(300), "\xac\x02");
  EXPECT_EQ(encoded(0), std::string(1, '\0'));
  EXPECT_EQ(encoded(UINT64_MAX), std::string(9, '\xff') + "\x01");
}

TEST(Varint, EveryNumberComesBackFromBothReaders) {
  for (uint64_t number : interesting_numbers()) {
    SCOPED_TRACE(number);
    const std::string bytes = encoded(number);
    EXPECT_EQ(bytes.size(), varint_size(number));
    EXPECT_LE(bytes.size(), kMaxVarintBytes);
    uint64_t checked = 0, unchecked = 0;
    EXPECT_TRUE(decodes(bytes, checked));
    EXPECT_EQ(checked, number);
    EXPECT_EQ(get_varint_unchecked(bytes.data(), unchecked), bytes.data() + bytes.size());
    EXPECT_EQ(unchecked, number);
  }
}

TEST(Varint, StopsBehindItsOwnLastByte) {
  const std::string bytes = encoded(300) + "rest";
  uint64_t value = 0;
  EXPECT_EQ(get_varint(bytes.data(), bytes.data() + bytes.size(), value), bytes.data() + 2);
  EXPECT_EQ(value, 300u);
}

TEST(Varint, ThatIsCutShortIsRefused) {
  for (uint64_t number : interesting_numbers()) {
    SCOPED_TRACE(number);
    const std::string bytes = encoded(number);
    uint64_t value = 0;
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(get_varint(bytes.data(), bytes.data() + size, value), nullptr);
    }
  }
}

TEST(Varint, BeyondSixtyFourBitsIsRefused) {
  uint64_t value = 0;
  EXPECT_FALSE(decodes(std::string(9, '\xff') + "\x02", value)) << "bit 64 is set";
  EXPECT_FALSE(decodes(std::string(9, '\x80') + "\x7f", value)) << "the tenth byte holds one bit";
  EXPECT_FALSE(decodes(std::string(10, '\x80') + std::string(1, '\0'), value)) << "eleven bytes";
  EXPECT_FALSE(decodes(std::string(100, '\x80'), value)) << "no end at all";
}

TEST(Varint, WithNeedlessZeroBytesIsReadAlikeByBothReaders) {
  const std::string bytes("\x85\x80\x80\0", 4);
  uint64_t checked = 0, unchecked = 0;
  EXPECT_TRUE(decodes(bytes, checked));
  EXPECT_EQ(get_varint_unchecked(bytes.data(), unchecked), bytes.data() + bytes.size());
  EXPECT_EQ(checked, 5u);
  EXPECT_EQ(unchecked, 5u);
}

}  // namespace
}  // namespace millrace
