#include "engine/blocks/unpacked_blocks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/blocks/block_packer.h"

namespace millrace {
namespace {

constexpr uint32_t kSize = 1000;

// Opens packed blocks, each of which consists of one repeated letter.
class Reader {
 public:
  std::shared_ptr<const Buffer> open(char letter) {
    if (!packed_.contains(letter)) {
      packed_[letter] = {packer.new_id(), *packer.zstd().pack(std::string(kSize, letter), 1)};
    }
    const auto& [id, bytes] = packed_[letter];
    return cache.open(id, bytes.view(), kSize);
  }
  // True if it was not there and had to be unpacked.
  bool unpacks(char letter) {
    const uint64_t before = cache.misses();
    EXPECT_EQ(open(letter)->view(), std::string(kSize, letter));
    return cache.misses() > before;
  }

  BlockPacker packer;
  UnpackedBlocks& cache = packer.unpacked();

 private:
  std::map<char, std::pair<PackedId, Buffer>> packed_;
};

TEST(UnpackedBlocks, ABlockThatIsReadAgainIsNotUnpackedAgain) {
  Reader reader;
  EXPECT_TRUE(reader.unpacks('a'));
  EXPECT_FALSE(reader.unpacks('a'));
  EXPECT_EQ(reader.cache.hits(), 1u);
  EXPECT_EQ(reader.cache.misses(), 1u);
  EXPECT_EQ(reader.cache.bytes(), kSize);
}

TEST(UnpackedBlocks, TheLeastRecentlyReadBlockIsDroppedFirst) {
  Reader reader;
  reader.cache.set_limit(2 * kSize);
  for (char letter : {'a', 'b', 'a', 'c'}) reader.open(letter);
  EXPECT_EQ(reader.cache.size(), 2u);
  EXPECT_EQ(reader.cache.bytes(), 2 * kSize);
  EXPECT_FALSE(reader.unpacks('a'));
  EXPECT_FALSE(reader.unpacks('c'));
  EXPECT_TRUE(reader.unpacks('b'));
}

TEST(UnpackedBlocks, AReaderThatHoldsABlockKeepsItsBytes) {
  Reader reader;
  reader.cache.set_limit(0);
  const auto held = reader.open('a');
  reader.open('b');
  EXPECT_EQ(reader.cache.size(), 1u);
  EXPECT_EQ(held->view(), std::string(kSize, 'a'));
}

TEST(UnpackedBlocks, TheBlockReadLastStaysInACacheOfAnySize) {
  Reader reader;
  reader.cache.set_limit(0);
  const ByteView view = reader.open('a')->view();
  EXPECT_EQ(view, std::string(kSize, 'a'));
  EXPECT_FALSE(reader.unpacks('a'));
}

TEST(UnpackedBlocks, ALowerLimitAppliesAtOnce) {
  Reader reader;
  for (char letter = 'a'; letter <= 'j'; ++letter) reader.open(letter);
  EXPECT_EQ(reader.cache.size(), 10u);
  reader.cache.set_limit(3 * kSize);
  EXPECT_EQ(reader.cache.size(), 3u);
  EXPECT_FALSE(reader.unpacks('j'));
}

}  // namespace
}  // namespace millrace
