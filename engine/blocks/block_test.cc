#include "engine/blocks/block.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/blocks/tag_index.h"
#include "tests/model/seen_block.h"

namespace millrace {
namespace {

constexpr BlockLimits kRoomy;

// Writes a block, and checks it after each step.
struct Writer {
  explicit Writer(Offset first) : block(first) {}

  bool append(ByteView tag, ByteView entry, UnixMs time = UnixMs(0), BlockLimits limits = kRoomy) {
    const bool fits = block.append(tags, tag, entry, time, limits);
    EXPECT_EQ(block.check(), nullptr);
    return fits;
  }

  Block block;
  TagIndex tags;
};

using testing::Seen;
using testing::walk;

TEST(Block, StartsEmptyAtItsOffset) {
  Block block(Offset(71));
  EXPECT_TRUE(block.empty());
  EXPECT_EQ(block.end(), Offset(71));
  EXPECT_EQ(block.memory(), 0u);
  EXPECT_EQ(block.check(), nullptr);
}

TEST(Block, KeepsMessagesInOrderWithTheirDates) {
  Writer writer(Offset(71));
  EXPECT_TRUE(writer.append("a", "one", UnixMs(1000)));
  EXPECT_TRUE(writer.append("b", "", UnixMs(1000)));
  EXPECT_TRUE(writer.append("a", "three", UnixMs(1300)));
  EXPECT_TRUE(writer.append("", ByteView("\0\n", 2), UnixMs(INT64_MAX)));
  EXPECT_EQ(walk(writer.block), (std::vector<Seen>{{"a", "one", 71, 1000},
                                                   {"b", "", 72, 1000},
                                                   {"a", "three", 73, 1300},
                                                   {"", std::string("\0\n", 2), 74, INT64_MAX}}));
  EXPECT_EQ(writer.block.end(), Offset(75));
  EXPECT_EQ(writer.block.first_time(), UnixMs(1000));
  EXPECT_EQ(writer.block.payload(), 4u + 1 + 6 + 2);
}

TEST(Block, StoresARepeatedTagOnce) {
  const std::string tag(100, 't');
  Writer writer(Offset(1));
  writer.append(tag, "x");
  const size_t first = writer.block.bytes().size();
  writer.append(tag, "x");
  EXPECT_EQ(writer.block.bytes().size(), first + 4);
}

TEST(Block, RefusesAMessageThatWouldExceedItsLimitOnBytes) {
  Writer writer(Offset(1));
  const BlockLimits limits{.bytes = 64, .messages = 1000};
  while (writer.append("t", "12345678", UnixMs(0), limits)) {
  }
  const uint32_t count = writer.block.count();
  EXPECT_GT(count, 1u);
  EXPECT_LE(writer.block.bytes().size(), limits.bytes);
  EXPECT_GT(writer.block.bytes().size() + 11, limits.bytes) << "there was no room for one more";
  EXPECT_FALSE(writer.append("a new tag", "12345678", UnixMs(0), limits));
  EXPECT_EQ(writer.tags.positions().size(), 1u) << "what was refused left its tag behind";
  EXPECT_EQ(writer.block.count(), count);
}

TEST(Block, RefusesAMessageThatWouldExceedItsLimitOnMessages) {
  Writer writer(Offset(1));
  const BlockLimits limits{.bytes = 1024, .messages = 3};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(writer.append("t", "", UnixMs(0), limits));
  EXPECT_FALSE(writer.append("t", "", UnixMs(0), limits));
}

TEST(Block, AnEmptyBlockAcceptsAnyMessageDespiteTheLimits) {
  Writer writer(Offset(1));
  const BlockLimits limits{.bytes = 0, .messages = 0};
  EXPECT_TRUE(writer.append(std::string(1000, 't'), std::string(5000, 'e'), UnixMs(0), limits));
  EXPECT_FALSE(writer.append("", "", UnixMs(0), limits));
}

TEST(Block, WithOneShortMessageIsSmall) {
  Writer writer(Offset(1));
  writer.append("tag", "a short message");
  EXPECT_LE(writer.block.memory(), 64u);
}

TEST(Block, NeverTakesMoreMemoryThanAFullBlockWhileItGrows) {
  Writer writer(Offset(1));
  const BlockLimits limits{.bytes = 1000, .messages = 1000};
  const std::string entry(100, 'x');
  while (writer.append("t", entry, UnixMs(0), limits)) EXPECT_LE(writer.block.memory(), limits.bytes);
  EXPECT_EQ(writer.block.memory(), limits.bytes);
}

// Checks that the position near each message leads to the same message as a walk from the beginning.
void expect_landmarks_agree(const Block& block) {
  const Records records(block);
  BlockPosition walked = block.begin();
  for (Offset offset = block.first(); offset < block.end(); ++offset, records.advance(walked)) {
    BlockPosition found = block.near(offset);
    ASSERT_LE(found.offset, offset);
    while (found.offset < offset) records.advance(found);
    ASSERT_EQ(found.byte, walked.byte) << "offset " << offset.value();
    ASSERT_EQ(found.time, walked.time) << "offset " << offset.value();
  }
}

TEST(Block, FindsAMessageInTheMiddleInFewerStepsThanAStride) {
  Writer writer(Offset(71));
  for (unsigned i = 0; i < 200; ++i) writer.append(std::to_string(i % 7), std::to_string(i), UnixMs(1000 + i * i));
  TagIndex tags;
  const auto loaded = Block::from_bytes(writer.block.header(), Buffer::copy_of(writer.block.bytes()), tags);
  ASSERT_TRUE(loaded);
  const Block copy = writer.block.clone();
  for (const Block* block : std::initializer_list<const Block*>{&writer.block, &copy, &*loaded}) {
    expect_landmarks_agree(*block);
    for (Offset offset = block->first(); offset < block->end(); ++offset) {
      EXPECT_LT(offset - block->near(offset).offset, Block::kStride);
    }
  }
}

TEST(Block, FindsEveryMessageOfABlockThatSpansMonths) {
  Writer writer(Offset(1));
  constexpr uint64_t kWeek = 7 * 24 * 3600 * 1000;
  for (unsigned i = 0; i < 200; ++i) writer.append("t", std::to_string(i), UnixMs(i / 10 * kWeek));
  expect_landmarks_agree(writer.block);
  TagIndex tags;
  const auto loaded = Block::from_bytes(writer.block.header(), Buffer::copy_of(writer.block.bytes()), tags);
  ASSERT_TRUE(loaded);
  expect_landmarks_agree(*loaded);
}

TEST(Block, SealingFreesUnusedMemoryAndTheFilterExcludesOtherTags) {
  Writer writer(Offset(1));
  for (int i = 0; i < 20; ++i) writer.append("mine", "0123456789");
  const auto before = walk(writer.block);
  writer.block.seal(writer.tags);
  EXPECT_EQ(writer.block.check(), nullptr);
  EXPECT_EQ(walk(writer.block), before);
  EXPECT_LE(writer.block.memory(), writer.block.bytes().size() * 9 / 8 + sizeof(uint64_t));
  EXPECT_TRUE(writer.block.tag_filter().may_hold(TagFilter::Probe("mine")));
  EXPECT_FALSE(writer.block.tag_filter().may_hold(TagFilter::Probe("foreign")));
}

TEST(Block, ACloneIsEqualAndIndependent) {
  Writer writer(Offset(5));
  writer.append("a", "one", UnixMs(10));
  Block copy = writer.block.clone();
  writer.append("b", "two", UnixMs(20));
  EXPECT_EQ(copy.check(), nullptr);
  EXPECT_EQ(walk(copy), (std::vector<Seen>{{"a", "one", 5, 10}}));
  EXPECT_EQ(copy.payload(), 4u);
}

TEST(Block, IsRestoredFromItsBytesAndContinues) {
  Writer writer(Offset(5));
  for (int i = 0; i < 50; ++i) {
    writer.append(std::to_string(i % 7), std::to_string(i), UnixMs(1000u + 3u * unsigned(i)));
  }
  TagIndex tags;
  auto again = Block::from_bytes(writer.block.header(), Buffer::copy_of(writer.block.bytes()), tags);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->check(), nullptr);
  EXPECT_EQ(walk(*again), walk(writer.block));
  EXPECT_EQ(again->payload(), writer.block.payload());

  ASSERT_TRUE(again->append(tags, "3", "next", UnixMs(5000), kRoomy));
  ASSERT_TRUE(writer.append("3", "next", UnixMs(5000)));
  EXPECT_EQ(again->bytes(), writer.block.bytes()) << "it knows which tags are stored";
}

struct CorruptRow {
  const char* name;
  BlockHeader header;
  std::string bytes;
  const char* reason;
};

// As record_format.h draws it: two messages with the tag "t", 3 ms apart.
const std::string kTwo("\0\1t\0\2hi\1\3\2yo", 12);

BlockHeader header(uint64_t first, uint64_t time, uint32_t count) {
  return {.first = Offset(first), .first_time = UnixMs(time), .count = count};
}

std::string with(size_t position, char byte) {
  std::string bytes = kTwo;
  bytes[position] = byte;
  return bytes;
}

const CorruptRow kCorrupt[] = {
    {"no messages", header(1, 0, 0), kTwo, "a block without messages"},
    {"no messages and no bytes", header(1, 0, 0), "", "a block without messages"},
    {"offset 0", header(0, 0, 2), kTwo, "a block beyond the last offset"},
    {"first offset too large", header(uint64_t{1} << 63, 0, 2), kTwo, "a block beyond the last offset"},
    {"last offset too large", header(INT64_MAX - 1, 0, 2), kTwo, "a block beyond the last offset"},
    {"largest offset", header(UINT64_MAX, 0, 2), kTwo, "a block beyond the last offset"},
    {"first date too late", header(1, uint64_t{1} << 63, 2), kTwo, "a block beyond the end of time"},
    {"second date too late", header(1, INT64_MAX - 2, 2), kTwo, "a message beyond the end of time"},
    {"first message has a delta", header(1, 0, 2), with(3, 1), "a message beyond the end of time"},
    {"no bytes", header(1, 0, 2), "", "a block ends inside a message"},
    {"cut inside a tag", header(1, 0, 2), kTwo.substr(0, 2), "a block ends inside a tag"},
    {"cut inside an entry", header(1, 0, 2), kTwo.substr(0, 11), "a block ends inside a message"},
    {"cut before the second message", header(1, 0, 2), kTwo.substr(0, 7), "a block ends inside a message"},
    {"fewer messages than it says", header(1, 0, 3), kTwo, "a block ends inside a message"},
    {"far fewer messages than it says", header(1, 0, UINT32_MAX), kTwo, "a block ends inside a message"},
    {"more messages than it says", header(1, 0, 1), kTwo, "bytes after the last message of a block"},
    {"a byte too many", header(1, 0, 2), kTwo + "x", "bytes after the last message of a block"},
    {"tag longer than the block", header(1, 0, 2), with(1, 100), "a block ends inside a tag"},
    {"entry longer than the block", header(1, 0, 2), with(9, 100), "a block ends inside a message"},
    {"reference to no tag", header(1, 0, 2), with(7, 2), "a message refers to a tag that is not there"},
    {"reference ahead", header(1, 0, 2), with(7, 120), "a message refers to a tag that is not there"},
    {"reference between two tags", header(1, 0, 3), std::string("\0\1a\0\0\0\1b\0\0\3\0\0", 13),
     "a message refers to a tag that is not there"},
    {"reference of the first", header(1, 0, 2), with(0, 1), "a message refers to a tag that is not there"},
    {"a tag stored twice", header(1, 0, 2), std::string("\0\1t\0\0\0\1t\0\0", 10), "a block that stores a tag twice"},
};

TEST(Block, RefusesBytesThatAreNotABlock) {
  for (const CorruptRow& row : kCorrupt) {
    SCOPED_TRACE(row.name);
    TagIndex tags;
    const auto block = Block::from_bytes(row.header, Buffer::copy_of(row.bytes), tags);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(block.error().text, row.reason);
  }
}

TEST(Block, AcceptsTheLastOffsetAndTheLastDate) {
  TagIndex tags;
  const auto block = Block::from_bytes(header(INT64_MAX - 2, INT64_MAX - 3, 2), Buffer::copy_of(kTwo), tags);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->check(), nullptr);
  EXPECT_EQ(block->last_time(), UnixMs(INT64_MAX));
}

}  // namespace
}  // namespace millrace
