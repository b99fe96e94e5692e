#include "engine/blocks/block_rewriter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/model/seen_block.h"

namespace millrace {
namespace {

using testing::Seen;
using testing::walk;

std::vector<Block> rewritten(const std::vector<Seen>& messages, BlockLimits limits = {}) {
  BlockRewriter rewriter(limits);
  for (const Seen& each : messages) {
    rewriter.add({Offset(each.offset), each.tag, each.entry, UnixMs(each.time)});
  }
  std::vector<Block> blocks = rewriter.finish();
  for (const Block& block : blocks) EXPECT_EQ(block.check(), nullptr);
  return blocks;
}

TEST(BlockRewriter, KeepsOffsetsThatAreNotConsecutive) {
  const std::vector<Seen> messages = {{"a", "one", 71, 1000},
                                      {"b", "", 75, 1000},
                                      {"a", "three", 76, 1300},
                                      {"c", "far", uint64_t{1} << 40, INT64_MAX}};
  const auto blocks = rewritten(messages);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(walk(blocks[0]), messages);
  EXPECT_EQ(blocks[0].first(), Offset(71));
  EXPECT_EQ(blocks[0].end(), Offset((uint64_t{1} << 40) + 1));
  EXPECT_EQ(blocks[0].missing(), (uint64_t{1} << 40) + 1 - 71 - 4);
  EXPECT_EQ(blocks[0].payload(), 4u + 1 + 6 + 4);
}

TEST(BlockRewriter, WritesThePlainFormatIfNoOffsetIsMissing) {
  const auto blocks = rewritten({{"t", "hi", 5, 100}, {"t", "yo", 6, 103}});
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_FALSE(blocks[0].has_gaps());
  EXPECT_EQ(blocks[0].bytes(), ByteView("\x00\x01t\x00\x02hi\x01\x03\x02yo", 12));
}

TEST(BlockRewriter, WritesAGapBeforeEachRecordIfAnOffsetIsMissing) {
  const auto blocks = rewritten({{"t", "hi", 5, 100}, {"t", "yo", 9, 103}});
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].bytes(), ByteView("\x00\x00\x01t\x00\x02hi\x03\x02\x03\x02yo", 14));
}

TEST(BlockRewriter, StartsANewBlockWhenOneIsFull) {
  std::vector<Seen> messages;
  for (uint64_t i = 0; i < 500; ++i) messages.push_back({"tag " + std::to_string(i % 7), "entry", 10 + 3 * i, i});
  const auto blocks = rewritten(messages, {.bytes = 512, .messages = 40});
  EXPECT_GT(blocks.size(), 500u / 40);
  std::vector<Seen> all;
  for (const Block& block : blocks) {
    EXPECT_LE(block.size(), 512u + 64);
    EXPECT_LE(block.count(), 40u);
    for (const Seen& each : walk(block)) all.push_back(each);
  }
  EXPECT_EQ(all, messages);
}

TEST(BlockRewriter, AFullBlockThatLosesOneMessageStaysOneBlock) {
  Block block(Offset(1));
  TagIndex tags;
  while (block.append(tags, "t", "0123456789", UnixMs(0), {})) {
  }
  std::vector<Seen> messages = walk(block);
  messages.erase(messages.begin() + 20);
  EXPECT_EQ(rewritten(messages).size(), 1u);
}

TEST(BlockRewriter, WithoutMessagesThereAreNoBlocks) { EXPECT_TRUE(rewritten({}).empty()); }

TEST(BlockRewriter, ABlockWhoseGapsDoNotMatchItsHeaderIsRefused) {
  const auto blocks = rewritten({{"t", "hi", 5, 100}, {"t", "yo", 9, 103}, {"t", "ok", 11, 103}});
  ASSERT_EQ(blocks[0].missing(), 4u);
  for (uint64_t missing : {0u, 1u, 3u, 4u, 5u}) {
    SCOPED_TRACE(missing);
    BlockHeader header = blocks[0].header();
    header.missing = missing;
    TagIndex tags;
    EXPECT_EQ(Block::from_bytes(header, Buffer::copy_of(blocks[0].bytes()), tags).has_value(), missing == 4);
  }
  std::string begins_with_a_gap(blocks[0].bytes());
  begins_with_a_gap[0] = 1;
  TagIndex tags;
  BlockHeader header = blocks[0].header();
  header.missing = 5;
  const auto refused = Block::from_bytes(header, Buffer::copy_of(begins_with_a_gap), tags);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "a block whose gaps do not match its header");
  header.missing = kMaxOffset.value();
  EXPECT_EQ(Block::from_bytes(header, Buffer::copy_of(begins_with_a_gap), tags).error().text,
            "a block beyond the last offset");
}

}  // namespace
}  // namespace millrace
