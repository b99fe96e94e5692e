#include "engine/blocks/evicted_blocks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/blocks/tag_index.h"

namespace millrace {
namespace {

Block block_at(uint64_t first) {
  Block block{Offset(first)};
  TagIndex tags;
  block.append(tags, "t", std::string(100, 'x'), UnixMs(0), {});
  return block;
}

std::vector<Block> run_of(uint64_t first, uint64_t count) {
  std::vector<Block> run;
  for (uint64_t i = 0; i < count; ++i) run.push_back(block_at(first + i));
  return run;
}

std::vector<uint64_t> offsets(const EvictedBlocks& blocks) {
  std::vector<uint64_t> found;
  blocks.each([&](const Block& block) { found.push_back(block.first().value()); });
  return found;
}

TEST(EvictedBlocks, KeepsAddedBlocksInOrder) {
  EvictedBlocks blocks;
  EXPECT_TRUE(blocks.empty());
  EXPECT_EQ(blocks.memory(), 0u);
  blocks.add(block_at(1));
  blocks.add_run(run_of(2, 3));
  EvictedBlocks more;
  more.add(block_at(5));
  blocks.add_all(std::move(more));
  blocks.add_all({});
  EXPECT_EQ(offsets(blocks), (std::vector<uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(blocks.size(), 5u);
  EXPECT_GE(blocks.memory(), 5 * (100 + sizeof(Block)));
}

TEST(EvictedBlocks, FreesOneRunAfterTheOtherFromTheEnd) {
  EvictedBlocks blocks;
  for (uint64_t first : {1u, 11u, 21u, 31u}) blocks.add_run(run_of(first, 10));
  blocks.free_some(1);
  EXPECT_EQ(blocks.size(), 30u);
  blocks.free_some(11);
  EXPECT_EQ(blocks.size(), 10u);
  EXPECT_EQ(offsets(blocks).front(), 1u);
  blocks.free_some(SIZE_MAX);
  EXPECT_TRUE(blocks.empty());
  EXPECT_EQ(blocks.memory(), 0u) << "the list itself is given back";
}

}  // namespace
}  // namespace millrace
