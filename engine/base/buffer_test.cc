#include "engine/base/buffer.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

void append(Buffer& buffer, ByteView bytes) {
  bytes.copy(buffer.extend(static_cast<uint32_t>(bytes.size())), bytes.size());
}

TEST(Buffer, StartsWithoutAnAllocation) {
  Buffer buffer;
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(buffer.capacity(), 0u);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.view(), "");
}

TEST(Buffer, GrowsToExactlyTheGivenCapacity) {
  Buffer buffer;
  buffer.reserve(5);
  EXPECT_EQ(buffer.capacity(), 5u);
  append(buffer, "abc");
  buffer.reserve(77);
  EXPECT_EQ(buffer.capacity(), 77u);
  EXPECT_EQ(buffer.view(), "abc");
}

TEST(Buffer, GivesBackWhatItDoesNotUse) {
  Buffer buffer;
  buffer.reserve(1000);
  append(buffer, "abc");
  buffer.reserve(buffer.size());
  EXPECT_EQ(buffer.capacity(), 3u);
  EXPECT_EQ(buffer.view(), "abc");
}

TEST(Buffer, FillsItsCapacityToTheLastByte) {
  Buffer buffer;
  buffer.reserve(6);
  append(buffer, "abc");
  append(buffer, "def");
  append(buffer, "");
  EXPECT_EQ(buffer.size(), buffer.capacity());
  EXPECT_EQ(buffer.view(), "abcdef");
}

TEST(Buffer, AdoptsBytesWithoutACopy) {
  auto bytes = std::make_unique<char[]>(3);
  bytes[0] = 'x';
  const char* const where = bytes.get();
  Buffer buffer = Buffer::adopt(std::move(bytes), 3);
  EXPECT_EQ(buffer.data(), where);
  EXPECT_EQ(buffer.view(), ByteView("x\0\0", 3));
  EXPECT_EQ(buffer.capacity(), 3u);
}

TEST(Buffer, ThatWasMovedFromIsEmptyAndUsable) {
  Buffer from;
  from.reserve(8);
  append(from, "abc");
  Buffer to = std::move(from);
  EXPECT_EQ(to.view(), "abc");
  EXPECT_EQ(to.capacity(), 8u);
  // NOLINTNEXTLINE(bugprone-use-after-move): what is left behind is what is tested.
  EXPECT_EQ(from.size(), 0u);
  EXPECT_EQ(from.capacity(), 0u);
  from.reserve(1);
  append(from, "z");
  EXPECT_EQ(from.view(), "z");
}

TEST(Buffer, ThatWasCutKeepsItsRoom) {
  Buffer buffer;
  buffer.reserve(8);
  append(buffer, "abcdef");
  buffer.cut(2);
  EXPECT_EQ(buffer.view(), "ab");
  EXPECT_EQ(buffer.capacity(), 8u);
  append(buffer, "z");
  EXPECT_EQ(buffer.view(), "abz");
}

TEST(Buffer, ACloneIsEqualAndItsOwn) {
  Buffer original;
  original.reserve(64);
  append(original, "abc");
  Buffer copy = original.clone();
  EXPECT_EQ(copy.view(), "abc");
  EXPECT_EQ(copy.capacity(), 3u) << "a clone has no slack";
  original.extend(1)[0] = 'd';
  EXPECT_EQ(copy.view(), "abc");
  EXPECT_EQ(Buffer().clone().data(), nullptr);
}

}  // namespace
}  // namespace millrace
