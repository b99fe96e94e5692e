#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/log/frame_reader.h"
#include "client/log/frame_writer.h"
#include "tests/model/frames.h"

namespace millrace::client {
namespace {

// The text "tag=entry" of every message, or the error.
std::string text_of(std::string_view bytes) {
  FrameReader frame(bytes);
  std::string text;
  for (Message message; frame.next(message);) {
    text += std::to_string(message.offset.value()) + " " + std::string(message.tag) + "=" + std::string(message.entry) +
            "\n";
  }
  if (auto failure = frame.failure()) return failure->text;
  return text;
}

TEST(ClientFrames, WrittenMessagesAreRead) {
  FrameWriter writer;
  writer.add("new", "a");
  writer.add("paid", "b");
  writer.add("new", "");
  writer.add("", std::string_view("\0\xff", 2));
  EXPECT_EQ(writer.count(), 4u);
  EXPECT_EQ(text_of(writer.take()), std::string("1 new=a\n2 paid=b\n3 new=\n4 =\0\xff\n", 30));
  EXPECT_TRUE(writer.empty());
  writer.add("new", "again");
  EXPECT_EQ(text_of(writer.take()), "1 new=again\n") << "nothing is left of the frame before";
}

TEST(ClientFrames, ARepeatedTagIsStoredOnce) {
  FrameWriter writer;
  const std::string tag(1000, 't');
  for (int i = 0; i < 100; ++i) {
    writer.add(tag, "x");
    writer.add("other", "y");
  }
  EXPECT_LT(writer.take().size(), 3000u);
}

TEST(ClientFrames, PackedBlocksAreUnpackedOneAfterTheOther) {
  const std::string entry(100, 'e');
  std::vector<std::string_view> pairs;
  std::string expected;
  for (int i = 1; i <= 95; ++i) {
    pairs.insert(pairs.end(), {"tag", entry});
    expected += std::to_string(i) + " tag=" + entry + "\n";
  }
  const std::string frame = millrace::testing::frame_of(pairs, {.bytes = 1 << 20, .messages = 10}, true);
  EXPECT_LT(frame.size(), 3000u);
  EXPECT_EQ(text_of(frame), expected);
}

TEST(ClientFrames, OneReaderReadsSeveralFrames) {
  FrameWriter writer;
  writer.add("t", "1");
  const std::string first = writer.take();
  FrameReader frame("no frame");
  Message message;
  EXPECT_FALSE(frame.next(message));
  EXPECT_TRUE(frame.failure());
  frame.open(first);
  EXPECT_TRUE(frame.next(message));
  EXPECT_EQ(message.entry, "1");
  EXPECT_FALSE(frame.next(message));
  EXPECT_FALSE(frame.failure());
}

TEST(ClientFrames, DamagedPackedBytesAreRefused) {
  const std::string entry(1000, 'e');
  std::string frame = millrace::testing::frame_of({"t", entry, "t", entry}, {.bytes = 1 << 20, .messages = 1}, true);
  for (size_t at = frame.size() / 4; at < frame.size() / 2; ++at) {
    std::string damaged = frame;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_NE(text_of(damaged), text_of(frame)) << at;
  }
}

}  // namespace
}  // namespace millrace::client
