#include "client/log/unpack_ahead.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/log/frame_reader.h"
#include "tests/model/frames.h"

namespace millrace::client {
namespace {

// Frames of messages with ascending numbers, ten per block; every third frame is not packed.
std::vector<std::string> some_frames(int count, int messages) {
  std::vector<std::string> frames;
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> texts;
    for (int j = 0; j < messages; ++j) {
      texts.emplace_back("tag");
      texts.push_back(std::to_string(i) + " " + std::to_string(j) + std::string(100, 'x'));
    }
    const std::vector<std::string_view> pairs(texts.begin(), texts.end());
    frames.push_back(millrace::testing::frame_of(pairs, {.bytes = 1 << 20, .messages = 10}, i % 3 != 2));
  }
  return frames;
}

// The entries of all frames, or the error.
std::vector<std::string> read_all(FrameReader& reader, const std::vector<std::string>& frames, UnpackAhead* ahead) {
  std::vector<std::string> entries;
  for (const std::string& frame : frames) {
    if (ahead != nullptr) ahead->add(frame);
    reader.open(frame);
    for (Message message; reader.next(message);) entries.emplace_back(message.entry);
    if (auto failure = reader.failure()) entries.push_back(failure->text);
  }
  return entries;
}

TEST(UnpackAhead, FramesReadWithItEqualThoseReadWithoutIt) {
  const auto frames = some_frames(20, 795);
  FrameReader alone{std::string_view()};
  const auto expected = read_all(alone, frames, nullptr);
  ASSERT_EQ(expected.size(), 20u * 795);
  for (unsigned threads : {1U, 3U}) {
    UnpackAhead ahead(threads, [] {});
    FrameReader reader(&ahead);
    EXPECT_EQ(read_all(reader, frames, &ahead), expected);
  }
}

TEST(UnpackAhead, AsksForAnotherFrameBeforeTheLastBlockOfOneIsReturned) {
  const auto frames = some_frames(5, 795);
  size_t added = 0;
  UnpackAhead* more = nullptr;
  UnpackAhead ahead(1, [&] {
    if (added < frames.size()) more->add(frames[added++]);
  });
  more = &ahead;
  size_t early = 0;
  FrameReader reader(&ahead);
  ahead.add(frames[added++]);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (added == i) ahead.add(frames[added++]);  // a frame without packed blocks does not ask for more
    reader.open(frames[i]);
    for (Message message; reader.next(message);) early += added > i + 1 ? 1 : 0;
    EXPECT_FALSE(reader.failure());
  }
  EXPECT_GT(early, 0u);
}

TEST(UnpackAhead, ABlockThatDoesNotUnpackIsAFailure) {
  auto frames = some_frames(1, 400);
  frames[0][frames[0].size() / 2] = static_cast<char>(frames[0][frames[0].size() / 2] ^ 0x55);
  UnpackAhead ahead(2, [] {});
  FrameReader reader(&ahead);
  const auto entries = read_all(reader, frames, &ahead);
  ASSERT_LT(entries.size(), 400u);
  EXPECT_TRUE(entries.back().starts_with("the server's frame is "));
}

TEST(UnpackAhead, MayBeDestroyedBeforeEverythingIsRead) {
  const auto frames = some_frames(1, 795);
  for (int i = 0; i < 50; ++i) {
    UnpackAhead ahead(2, [] {});
    ahead.add(frames[0]);
    EXPECT_TRUE(ahead.next());
  }
}

}  // namespace
}  // namespace millrace::client
