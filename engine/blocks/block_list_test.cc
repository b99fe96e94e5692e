#include "engine/blocks/block_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "engine/blocks/tag_index.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

// A block of one message, whose date is its offset times ten.
Block block_at(uint64_t first, ByteView entry = "entry") {
  Block block{Offset(first)};
  TagIndex tags;
  block.append(tags, "t", entry, UnixMs(first * 10), {});
  return block;
}

constexpr uint64_t kMany = 3 * BlockList::kChunk + 7;

void drop(BlockList& list, uint64_t up_to) {
  EvictedBlocks taken;
  list.take_before(Offset(up_to + 1), taken);
}

void expect_same(const BlockList& list, const std::deque<uint64_t>& model) {
  ASSERT_EQ(list.size(), model.size());
  ASSERT_EQ(list.empty(), model.empty());
  ASSERT_EQ(list.check(), nullptr);
  auto place = list.begin();
  for (uint64_t first : model) {
    ASSERT_NE(place, list.end());
    ASSERT_EQ(list[place].first(), Offset(first));
    ASSERT_EQ(list[place].check(), nullptr);
    place = list.after(place);
  }
  ASSERT_EQ(place, list.end());
  if (model.empty()) return;
  ASSERT_EQ(list.front().first(), Offset(model.front()));
  ASSERT_EQ(list.back().first(), Offset(model.back()));
}

TEST(BlockList, BlocksAddedAtTheEndAreTakenFromTheFront) {
  BlockList list;
  std::deque<uint64_t> model;
  expect_same(list, model);
  uint64_t next = 1;
  // Grows, shrinks to nothing and grows again, at changing speeds.
  for (size_t round = 0; round < 6; ++round) {
    for (int i = 0; i < 40; ++i) {
      for (size_t added = 0; added < 30 * (round + 1); ++added) {
        list.push_back(block_at(next));
        model.push_back(next++);
      }
      const size_t going = std::min<size_t>(model.size(), 40 * (7 - round));
      EvictedBlocks taken;
      list.take_before(Offset(going == 0 ? 0 : model[going - 1] + 1), taken);
      ASSERT_EQ(taken.size(), going);
      taken.each([&](const Block& block) {
        ASSERT_EQ(block.first(), Offset(model.front()));
        model.pop_front();
      });
      expect_same(list, model);
    }
  }
}

// With enough blocks for several chunks, because errors are most likely at the borders between chunks.
TEST(BlockList, BlocksInTheMiddleAreReplacedByFewerOrMore) {
  std::mt19937_64 random(9);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  BlockList list;
  std::deque<uint64_t> model;
  uint64_t next = 1'000;
  for (int step = 0; step < 500; ++step) {
    SCOPED_TRACE(step);
    const uint64_t added = step < 250 ? below(20) : below(4);
    for (uint64_t i = 0; i < added; ++i, next += 1'000) {
      list.push_back(block_at(next));
      model.push_back(next);
    }
    for (uint64_t taken = below(4); taken > 0 && !model.empty(); --taken) {
      drop(list, model.front());
      model.pop_front();
    }
    if (model.empty()) continue;
    const size_t from = below(model.size());
    const size_t to = from + 1 + below(std::min<size_t>(step % 7 == 0 ? 700 : 40, model.size() - from));
    const uint64_t first = model[from];
    const uint64_t room = (to < model.size() ? model[to] : next) - first;
    const uint64_t count = std::min(room, step % 50 == 0 ? below(900) : below(to - from + 1));
    std::vector<Block> blocks;
    std::vector<uint64_t> firsts;
    for (uint64_t i = 0; i < count; ++i) {
      firsts.push_back(first + i);
      blocks.push_back(block_at(first + i));
    }
    const auto place_of = [&](size_t i) {
      return list.find([&](const Block& b) { return i < model.size() && b.first() >= Offset(model[i]); });
    };
    list.replace(place_of(from), place_of(to), std::move(blocks));
    const auto gap =
        model.erase(model.begin() + static_cast<ptrdiff_t>(from), model.begin() + static_cast<ptrdiff_t>(to));
    model.insert(gap, firsts.begin(), firsts.end());
    expect_same(list, model);
    for (size_t i = 0; i < model.size(); i += 1 + below(50)) {
      ASSERT_EQ(list.before_sums(place_of(i)).messages, i);
      if (i > 0) {
        ASSERT_EQ(list[list.before(place_of(i))].first(), Offset(model[i - 1]));
      }
    }
  }
}

TEST(BlockList, FindsTheFirstBlockPastSomething) {
  for (uint64_t gone : {uint64_t{0}, uint64_t{1}, uint64_t{5}, BlockList::kChunk, kMany / 2, kMany - 1}) {
    SCOPED_TRACE(gone);
    BlockList list;
    for (uint64_t first = 1; first <= kMany; ++first) list.push_back(block_at(first));
    drop(list, gone);
    for (uint64_t offset = gone + 1; offset <= kMany; ++offset) {
      const auto found = list.find([&](const Block& b) { return b.end() > Offset(offset); });
      ASSERT_NE(found, list.end());
      EXPECT_EQ(list[found].first(), Offset(offset));
    }
    EXPECT_EQ(list.find([](const Block& b) { return b.end() > Offset(kMany + 1); }), list.end());
    EXPECT_EQ(list.find([](const Block&) { return true; }), list.begin());
  }
  EXPECT_EQ(BlockList().find([](const Block&) { return true; }), BlockList().end());
}

TEST(BlockList, FindsTheBlockInWhichAGivenPayloadIsReached) {
  for (uint64_t gone : {uint64_t{0}, uint64_t{5}, kMany / 2}) {
    SCOPED_TRACE(gone);
    BlockList list;
    for (uint64_t first = 1; first <= kMany; ++first) list.push_back(block_at(first));
    drop(list, gone);
    const uint64_t each = list.front().payload();
    for (uint64_t wanted = 1; wanted <= each * list.size(); ++wanted) {
      uint64_t left = wanted;
      const auto found = list.find_sum(&BlockTotals::payload, left);
      ASSERT_NE(found, list.end());
      ASSERT_EQ(list[found].first(), Offset(gone + 1 + (wanted - 1) / each));
      ASSERT_EQ(left, (wanted - 1) % each + 1);
    }
    uint64_t too_much = each * list.size() + 1;
    EXPECT_EQ(list.find_sum(&BlockTotals::payload, too_much), list.end());
    EXPECT_EQ(too_much, 1u);
  }
}

TEST(BlockList, TheSumsAreUpdatedWhenBlocksAreChangedOrTaken) {
  BlockList list;
  for (uint64_t first = 1; first <= kMany; ++first) list.push_back(block_at(first, std::string(1000, 'x')));
  const BlockTotals before = list.totals();
  EXPECT_EQ(before.payload, kMany * 1001);
  EXPECT_EQ(before.packed, 0u);
  list.change(list.begin(), [](Block& block) { block.pack(testing::test_packer(), 1); });
  EXPECT_EQ(list.check(), nullptr);
  EXPECT_EQ(list.totals().packed, 1u);
  EXPECT_GT(list.totals().saved, 900u);
  EXPECT_LT(list.totals().memory, before.memory - 900);
  EvictedBlocks taken;
  EXPECT_EQ(list.take_before(Offset(2), taken).packed, 1u);
  EXPECT_EQ(list.totals().saved, 0u);
  EXPECT_EQ(list.take_before(Offset(kMany + 1), taken).payload, (kMany - 1) * 1001);
  EXPECT_EQ(list.totals(), BlockTotals());
  EXPECT_EQ(list.memory(), 0u);
}

TEST(BlockList, ACloneHasNoMemoryForTakenBlocks) {
  BlockList list;
  for (uint64_t first = 1; first <= 10; ++first) list.push_back(block_at(first));
  drop(list, 4);
  const BlockList copy = list.clone();
  expect_same(copy, {5, 6, 7, 8, 9, 10});
  EXPECT_LT(copy.memory(), list.memory());
  drop(list, 5);
  expect_same(copy, {5, 6, 7, 8, 9, 10});
}

TEST(BlockList, FreesMemoryWhenItShrinks) {
  BlockList list;
  for (uint64_t first = 1; first <= 1000; ++first) list.push_back(block_at(first));
  drop(list, 998);
  EXPECT_LE(list.memory(), BlockList::kChunk * sizeof(Block) + 1000);
}

}  // namespace
}  // namespace millrace
