#include "engine/log/block_list.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "engine/log/tag_index.h"

namespace millrace {
namespace {

// A block of one message, whose date is its offset times ten.
Block block_at(uint64_t first) {
  Block block{Offset(first)};
  TagIndex tags;
  block.append(tags, "t", "entry", UnixMs(first * 10), {});
  return block;
}

void expect_same(const BlockList& list, const std::deque<uint64_t>& model) {
  ASSERT_EQ(list.size(), model.size());
  ASSERT_EQ(list.empty(), model.empty());
  for (size_t i = 0; i < model.size(); ++i) {
    ASSERT_EQ(list[i].first(), Offset(model[i]));
    ASSERT_EQ(list[i].check(), nullptr);
  }
  if (model.empty()) return;
  ASSERT_EQ(list.front().first(), Offset(model.front()));
  ASSERT_EQ(list.back().first(), Offset(model.back()));
}

TEST(BlockList, TakesFromTheFrontWhatWasAddedAtTheEnd) {
  BlockList list;
  std::deque<uint64_t> model;
  expect_same(list, model);
  uint64_t next = 1;
  // Grows, shrinks to nothing and grows again, at changing speeds.
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 40; ++i) {
      for (int added = 0; added <= round; ++added) {
        list.push_back(block_at(next));
        model.push_back(next++);
      }
      for (int taken = 0; taken < 7 - round && !model.empty(); ++taken) {
        ASSERT_EQ(list.pop_front().first(), Offset(model.front()));
        model.pop_front();
      }
      expect_same(list, model);
    }
  }
}

TEST(BlockList, FindsTheFirstBlockPastSomething) {
  for (uint64_t gone : {0u, 1u, 5u, 6u, 9u}) {
    SCOPED_TRACE(gone);
    BlockList list;
    for (uint64_t first = 1; first <= 10; ++first) list.push_back(block_at(first));
    for (uint64_t i = 0; i < gone; ++i) list.pop_front();
    for (uint64_t offset = gone + 1; offset <= 10; ++offset) {
      EXPECT_EQ(list.find([&](const Block& b) { return b.end() > Offset(offset); }), offset - gone - 1);
    }
    EXPECT_EQ(list.find([](const Block& b) { return b.end() > Offset(11); }), list.size());
    EXPECT_EQ(list.find([](const Block&) { return true; }), 0u);
  }
  EXPECT_EQ(BlockList().find([](const Block&) { return true; }), 0u);
}

// Against a deque, with enough blocks for several chunks: the seams are what can break.
TEST(BlockList, BlocksInTheMiddleAreReplacedByFewerOrMore) {
  std::mt19937_64 random(9);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  BlockList list;
  std::deque<uint64_t> model;
  uint64_t next = 1'000;
  for (int step = 0; step < 600; ++step) {
    SCOPED_TRACE(step);
    const uint64_t added = step < 300 ? below(20) : below(4);
    for (uint64_t i = 0; i < added; ++i, next += 1'000) {
      list.push_back(block_at(next));
      model.push_back(next);
    }
    for (uint64_t taken = below(4); taken > 0 && !model.empty(); --taken) {
      ASSERT_EQ(list.pop_front().first(), Offset(model.front()));
      model.pop_front();
    }
    if (model.empty()) continue;
    const size_t from = below(model.size());
    const size_t to = from + 1 + below(std::min<size_t>(step % 7 == 0 ? 700 : 40, model.size() - from));
    const uint64_t first = model[from];
    const uint64_t room = (to < model.size() ? model[to] : next) - first;
    const uint64_t count = std::min(room, step % 50 == 0 ? below(900) : below(to - from + 1));
    const auto place =
        model.erase(model.begin() + static_cast<ptrdiff_t>(from), model.begin() + static_cast<ptrdiff_t>(to));
    std::vector<Block> blocks;
    std::vector<uint64_t> firsts;
    for (uint64_t i = 0; i < count; ++i) {
      firsts.push_back(first + i);
      blocks.push_back(block_at(first + i));
    }
    model.insert(place, firsts.begin(), firsts.end());
    list.replace(from, to, std::move(blocks));
    expect_same(list, model);
    for (size_t i = 0; i < model.size(); i += 1 + below(50)) {
      ASSERT_EQ(list.find([&](const Block& b) { return b.first() >= Offset(model[i]); }), i);
    }
  }
}

TEST(BlockList, ACloneHasNoRoomForBlocksThatWereTaken) {
  BlockList list;
  for (uint64_t first = 1; first <= 10; ++first) list.push_back(block_at(first));
  for (int i = 0; i < 4; ++i) list.pop_front();
  const BlockList copy = list.clone();
  expect_same(copy, {5, 6, 7, 8, 9, 10});
  EXPECT_LE(copy.memory(), 6 * sizeof(Block) + 64);
  list.pop_front();
  expect_same(copy, {5, 6, 7, 8, 9, 10});
}

TEST(BlockList, GivesItsRoomBackOnceItHasShrunk) {
  BlockList list;
  for (uint64_t first = 1; first <= 1000; ++first) list.push_back(block_at(first));
  while (list.size() > 2) list.pop_front();
  EXPECT_LE(list.memory(), 50 * sizeof(Block));
}

}  // namespace
}  // namespace millrace
