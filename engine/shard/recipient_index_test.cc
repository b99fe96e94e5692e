#include "engine/shard/recipient_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace millrace {
namespace {

// An index of 0, 1, 2 …, and their hashes.
struct Numbers {
  RecipientIndex index;
  std::vector<uint64_t> hashes;
  uint64_t asked = 0;  // how often a hash was asked for

  void add(uint64_t hash) {
    hashes.push_back(hash);
    const RecipientId id(static_cast<uint32_t>(hashes.size() - 1));
    index.add(hash, id, [&](RecipientId other) { return ++asked, hashes[other.value()]; });
  }
  RecipientId find(RecipientId id) const {
    return index.find(hashes[id.value()], [&](RecipientId other) { return other == id; });
  }
  const char* check() const {
    return index.check([&](RecipientId id) { return hashes[id.value()]; });
  }
};

TEST(RecipientIndex, FindsWhatWasAddedAndNothingElse) {
  for (const uint64_t distinct : {uint64_t{1}, uint64_t{7}, uint64_t{300}, UINT64_MAX}) {
    SCOPED_TRACE(::testing::Message() << distinct << " hashes");
    std::mt19937_64 random(distinct);
    Numbers numbers;
    EXPECT_EQ(numbers.index.find(0, [](RecipientId) { return true; }), RecipientId::none());
    for (uint32_t id = 0; id < 500; ++id) {
      numbers.add(random() % distinct * 0x9e3779b97f4a7c15);
      ASSERT_STREQ(numbers.check(), nullptr) << id;
      for (uint32_t other = 0; other <= id; ++other) ASSERT_EQ(numbers.find(RecipientId(other)), RecipientId(other));
    }
    EXPECT_EQ(numbers.index.find(random(), [](RecipientId) { return false; }), RecipientId::none());
  }
}

TEST(RecipientIndex, AsksAboutThoseWithTheSameTagAlone) {
  std::mt19937_64 random(1);
  Numbers numbers;
  for (int i = 0; i < 50'000; ++i) numbers.add(random());
  uint64_t others = 0;
  for (uint32_t id = 0; id < numbers.hashes.size(); ++id) {
    numbers.index.find(numbers.hashes[id], [&](RecipientId other) { return ++others, other == RecipientId(id); });
  }
  others -= numbers.hashes.size();
  // In the worst case nine bits are left of a tag, and fewer than twenty other entries are in a line.
  EXPECT_LT(others, numbers.hashes.size() / 20);
}

// This passes the depths 8 and 16, at which tags start at 0 again.
TEST(RecipientIndex, NoAdditionPaysForManyOthers) {
  std::mt19937_64 random(2);
  Numbers numbers;
  uint64_t most = 0;
  for (int i = 0; i < 450'000; ++i) {
    const uint64_t before = numbers.asked;
    numbers.add(random());
    most = std::max(most, numbers.asked - before);
  }
  EXPECT_GT(most, 0u);
  EXPECT_LT(most, 64u);
  EXPECT_LT(numbers.asked, numbers.hashes.size());
  EXPECT_STREQ(numbers.check(), nullptr);
}

TEST(RecipientIndex, TakesTwelveBytesEach) {
  std::mt19937_64 random(3);
  Numbers numbers;
  numbers.add(random());
  EXPECT_LE(numbers.index.memory(), 128u);
  for (int i = 1; i < 100'000; ++i) numbers.add(random());
  EXPECT_LT(numbers.index.memory(), 13 * numbers.hashes.size());
}

}  // namespace
}  // namespace millrace
