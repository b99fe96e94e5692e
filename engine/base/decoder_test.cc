#include "engine/base/decoder.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

TEST(Decoder, TakesNumbersAndBytesInOrder) {
  const std::string bytes = std::string("\xac\x02") + "\x03" + "abc";
  Decoder decoder(bytes);
  EXPECT_EQ(decoder.number(), 300u);
  const uint64_t size = decoder.number();
  EXPECT_FALSE(decoder.finished());
  EXPECT_EQ(decoder.bytes(size), "abc");
  EXPECT_TRUE(decoder.ok());
  EXPECT_TRUE(decoder.finished());
}

TEST(Decoder, BorrowsTheBytesItIsGiven) {
  const std::string bytes = "abc";
  EXPECT_EQ(Decoder(bytes).bytes(3).data(), bytes.data());
}

TEST(Decoder, OfNothingIsFinishedAtOnce) {
  EXPECT_TRUE(Decoder(ByteView{}).finished());
  EXPECT_TRUE(Decoder("").finished());
}

TEST(Decoder, TakesZeroBytesWhereTheEndIs) {
  Decoder decoder("a");
  EXPECT_EQ(decoder.bytes(1), "a");
  EXPECT_EQ(decoder.bytes(0), "");
  EXPECT_TRUE(decoder.finished());
}

TEST(Decoder, RefusesANumberThatIsNotThere) {
  Decoder decoder("");
  EXPECT_EQ(decoder.number(), 0u);
  EXPECT_FALSE(decoder.ok());
  EXPECT_FALSE(decoder.finished());
}

TEST(Decoder, RefusesMoreBytesThanAreLeft) {
  for (uint64_t size : {uint64_t{4}, uint64_t{UINT32_MAX}, uint64_t{INT64_MAX}, uint64_t{UINT64_MAX}}) {
    SCOPED_TRACE(size);
    Decoder decoder("abc");
    EXPECT_TRUE(decoder.bytes(size).empty());
    EXPECT_FALSE(decoder.ok());
  }
}

TEST(Decoder, ThatFailedOnceGivesNothingMore) {
  Decoder decoder("abc");
  decoder.bytes(4);
  EXPECT_EQ(decoder.number(), 0u);
  EXPECT_TRUE(decoder.bytes(1).empty());
  EXPECT_TRUE(decoder.bytes(0).empty());
  EXPECT_FALSE(decoder.ok());
  EXPECT_FALSE(decoder.finished());
}

TEST(Decoder, IsNotFinishedWithBytesLeftOver) {
  Decoder decoder("ab");
  decoder.bytes(1);
  EXPECT_TRUE(decoder.ok());
  EXPECT_FALSE(decoder.finished());
}

}  // namespace
}  // namespace millrace
