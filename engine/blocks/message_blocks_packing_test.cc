// Packing the full blocks does not change their messages.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/blocks/blocks_codec.h"
#include "engine/blocks/packing.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

using testing::test_packer;

// Ten messages fill a block.
constexpr BlockLimits kTens{.bytes = 1 << 20, .messages = 10};
constexpr int kLevel = 1;

std::string entry_of(uint64_t offset) { return "message " + std::to_string(offset) + std::string(100, '.'); }

// Message n has the date n * 10, and the number of its block as tag.
MessageBlocks messages_of(uint64_t count) {
  MessageBlocks messages;
  for (uint64_t offset = 1; offset <= count; ++offset) {
    messages.tick(UnixMs(offset * 10));
    messages.append("block " + std::to_string((offset - 1) / 10), entry_of(offset), kTens);
  }
  return messages;
}

void pack_all(MessageBlocks& messages) {
  while (messages.has_unpacked()) {
    messages.pack_next(test_packer(), kLevel);
    EXPECT_EQ(messages.check(), nullptr);
  }
}

MessageBlocks packed_messages_of(uint64_t count) {
  MessageBlocks messages = messages_of(count);
  pack_all(messages);
  return messages;
}

// Reads all messages from `from` on, and checks the entry and the date of each.
uint64_t read_from(const MessageBlocks& messages, uint64_t from) {
  uint64_t count = 0;
  Message message{};
  for (MessageBlocks::Cursor cursor(messages, Offset(from)); cursor.next(message); ++count) {
    EXPECT_EQ(message.offset, Offset(from + count));
    EXPECT_EQ(message.entry, entry_of(message.offset.value()));
    EXPECT_EQ(message.written, UnixMs(message.offset.value() * 10));
  }
  return count;
}

TEST(MessageBlocksPacking, PacksTheOldestFullBlockFirstAndNeverTheNewest) {
  MessageBlocks messages = messages_of(35);
  for (uint64_t block = 1; block <= 3; ++block) {
    ASSERT_TRUE(messages.has_unpacked());
    EXPECT_EQ(messages.oldest_unpacked(), UnixMs(block * 100));
    EXPECT_GT(messages.pack_next(test_packer(), kLevel), 0u);
    EXPECT_EQ(messages.packed_blocks(), block);
    EXPECT_EQ(messages.check(), nullptr);
  }
  EXPECT_FALSE(messages.has_unpacked());
  EXPECT_EQ(messages.oldest_unpacked(), std::nullopt);
  EXPECT_EQ(messages.block_count(), 4u);
}

TEST(MessageBlocksPacking, FreesMemoryAndReturnsHowMuch) {
  MessageBlocks messages = messages_of(35);
  const uint64_t before = messages.memory();
  pack_all(messages);
  EXPECT_GT(messages.saved_by_packing(), 2000u);
  EXPECT_LE(messages.memory(), before - messages.saved_by_packing());
  EXPECT_EQ(messages.payload(), messages_of(35).payload());
}

TEST(MessageBlocksPacking, ReadersSeeTheSameMessages) {
  const MessageBlocks messages = packed_messages_of(95);
  for (uint64_t from = 1; from <= 95; ++from) EXPECT_EQ(read_from(messages, from), 96 - from);
  for (uint64_t offset = 1; offset <= 95; ++offset) {
    EXPECT_EQ(messages.seek(UnixMs(offset * 10)), Offset(offset));
    EXPECT_EQ(messages.seek(UnixMs(offset * 10 - 9)), Offset(offset));
  }
}

TEST(MessageBlocksPacking, AReaderUnpacksEachBlockOnce) {
  MessageBlocks messages = messages_of(1000);
  while (messages.has_unpacked()) messages.pack_next(test_packer(), kLevel);
  const uint64_t before = test_packer().unpacked().misses();
  EXPECT_EQ(read_from(messages, 1), 1000u);
  EXPECT_EQ(test_packer().unpacked().misses() - before, messages.packed_blocks());
}

TEST(MessageBlocksPacking, BlocksWithoutATagAreNotUnpacked) {
  MessageBlocks messages = messages_of(1000);
  while (messages.has_unpacked()) messages.pack_next(test_packer(), kLevel);
  const std::vector<TagFilter::Probe> tags = {TagFilter::Probe("block 70")};
  const uint64_t before = test_packer().unpacked().misses();
  MessageBlocks::Cursor cursor(messages, Offset(1));
  Message message{};
  uint64_t found = 0;
  do {
    while (cursor.skip_block_without(tags)) {
    }
    if (!cursor.next(message)) break;
    if (message.tag == "block 70") ++found;
  } while (true);
  EXPECT_EQ(found, 10u);
  EXPECT_LT(test_packer().unpacked().misses() - before, 20u) << "one, and what the filter lets through by chance";
}

TEST(MessageBlocksPacking, EvictingMessageByMessageUnpacksABlockOnce) {
  MessageBlocks messages = packed_messages_of(95);
  const uint64_t before = test_packer().unpacked().hits() + test_packer().unpacked().misses();
  for (uint64_t first = 2; first <= 96; ++first) {
    EXPECT_EQ(messages.evict_before(Offset(first)).count, 1u);
    if (first == 96) break;
    EXPECT_EQ(messages.first_time(), UnixMs(first * 10));
  }
  EXPECT_EQ(test_packer().unpacked().hits() + test_packer().unpacked().misses() - before, 9u);
  EXPECT_TRUE(messages.empty());
}

TEST(MessageBlocksPacking, ABlockThatDoesNotGetSmallerIsUnchangedAndNotTriedAgain) {
  MessageBlocks messages;
  for (int i = 0; i < 4; ++i) messages.append("", "", {.bytes = 1 << 20, .messages = 2});
  ASSERT_TRUE(messages.has_unpacked());
  EXPECT_EQ(messages.pack_next(test_packer(), kLevel), 0u);
  EXPECT_EQ(messages.packed_blocks(), 0u);
  EXPECT_FALSE(messages.has_unpacked());
  EXPECT_EQ(messages.check(), nullptr);
}

TEST(MessageBlocksPacking, ALargeBlockIsNotPacked) {
  MessageBlocks messages;
  messages.append("t", std::string(kMostUnpacked, 'x'));
  messages.append("t", "next");
  EXPECT_EQ(messages.pack_next(test_packer(), kLevel), 0u);
  EXPECT_EQ(messages.packed_blocks(), 0u);
}

TEST(MessageBlocksPacking, APartlyEvictedBlockIsNotPacked) {
  MessageBlocks messages = messages_of(35);
  messages.evict_before(Offset(5));
  EXPECT_EQ(messages.pack_next(test_packer(), kLevel), 0u);
  EXPECT_GT(messages.pack_next(test_packer(), kLevel), 0u);
  EXPECT_EQ(messages.packed_blocks(), 1u);
}

TEST(MessageBlocksPacking, ACloneIsPackedToo) {
  const MessageBlocks messages = packed_messages_of(35);
  const MessageBlocks copy = messages.clone();
  EXPECT_EQ(copy.check(), nullptr);
  EXPECT_EQ(copy.packed_blocks(), 3u);
  EXPECT_FALSE(copy.has_unpacked());
  EXPECT_EQ(read_from(copy, 1), 35u);
}

// Restores messages from the blocks of `messages`, as loading a saved log does.
Result<MessageBlocks> reloaded(const MessageBlocks& messages) {
  MessageBlocks again;
  Result<void> added;
  messages.each_block([&](const Block& block) {
    const auto header = decode_block_header(encode_block_header(block));
    if (added) added = again.append_block(*header, Buffer::copy_of(block.bytes()), &test_packer());
  });
  if (!added) return std::unexpected(added.error());
  if (auto restored = again.restore_head(*decode_head(encode_head(saved_head(messages)))); !restored) {
    return std::unexpected(restored.error());
  }
  return again;
}

TEST(MessageBlocksPacking, PackedBlocksAreSavedAndLoadedAsTheyAre) {
  MessageBlocks messages = packed_messages_of(35);
  auto again = reloaded(messages);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->check(), nullptr);
  EXPECT_EQ(again->packed_blocks(), 3u);
  EXPECT_FALSE(again->has_unpacked());
  EXPECT_EQ(read_from(*again, 1), 35u);
  again->tick(UnixMs(360));
  EXPECT_EQ(again->append("t", entry_of(36), kTens), Offset(36));
  EXPECT_EQ(read_from(*again, 1), 36u);
}

TEST(MessageBlocksPacking, ContinuesAfterTheBlocksThatWereLoadedPacked) {
  MessageBlocks messages = messages_of(55);
  messages.pack_next(test_packer(), kLevel);
  messages.pack_next(test_packer(), kLevel);
  auto again = reloaded(messages);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->oldest_unpacked(), UnixMs(300));
  pack_all(*again);
  EXPECT_EQ(again->packed_blocks(), 5u);
}

// The second block of some messages as it is saved: packed.
struct SavedBlock {
  BlockHeader header;
  std::string bytes;
};
SavedBlock second_block() {
  SavedBlock saved;
  packed_messages_of(25).each_block([&](const Block& block) {
    if (block.first() == Offset(11)) saved = {block.header(), std::string(block.bytes())};
  });
  return saved;
}

TEST(MessageBlocksPacking, RefusesDamagedPackedBlocksWithAReason) {
  const SavedBlock good = second_block();
  const auto why = [](BlockHeader header, ByteView bytes) -> std::string {
    MessageBlocks messages = messages_of(10);
    const auto added = messages.append_block(header, Buffer::copy_of(bytes), &test_packer());
    EXPECT_EQ(messages.check(), nullptr);
    EXPECT_EQ(messages.last(), Offset(added ? 20 : 10));
    return added ? "taken" : added.error().text;
  };
  EXPECT_EQ(why(good.header, good.bytes), "taken");
  for (size_t at = 0; at < good.bytes.size(); ++at) {
    std::string damaged = good.bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    EXPECT_EQ(why(good.header, damaged), "a packed block that does not unpack") << "byte " << at;
  }
  EXPECT_EQ(why(good.header, ByteView(good.bytes).substr(1)), "a packed block that does not unpack");
  EXPECT_EQ(why(good.header, ""), "a packed block that does not unpack");

  BlockHeader header = good.header;
  header.unpacked = good.header.unpacked + 1;
  EXPECT_EQ(why(header, good.bytes), "a packed block that does not unpack");
  header.unpacked = static_cast<uint32_t>(good.bytes.size());
  EXPECT_EQ(why(header, good.bytes), "a packed block that is not smaller than unpacked");
  header.unpacked = kMostUnpacked + 1;
  EXPECT_EQ(why(header, good.bytes), "a packed block that is too large");
  header = good.header;
  header.count = 11;
  EXPECT_EQ(why(header, good.bytes), "a block ends inside a message");
  header.count = 9;
  EXPECT_EQ(why(header, good.bytes), "bytes after the last message of a block");
}

TEST(MessageBlocksPacking, RefusesPackedBlocksWithoutAPacker) {
  const SavedBlock good = second_block();
  MessageBlocks messages = messages_of(10);
  const auto added = messages.append_block(good.header, Buffer::copy_of(good.bytes));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().text, "a packed block where packed blocks are not allowed");
  EXPECT_EQ(messages.last(), Offset(10));
}

// Each packer has its own cache, and a block is read through the one that packed it.
TEST(MessageBlocksPacking, BlocksAreUnpackedByTheirOwnPacker) {
  BlockPacker one, other;
  MessageBlocks packed_by_one = messages_of(25), packed_by_other = messages_of(25);
  while (packed_by_one.has_unpacked()) packed_by_one.pack_next(one, kLevel);
  while (packed_by_other.has_unpacked()) packed_by_other.pack_next(other, kLevel);
  EXPECT_EQ(read_from(packed_by_one, 1), 25u);
  EXPECT_EQ(one.unpacked().misses(), 2u);
  EXPECT_EQ(other.unpacked().misses(), 0u);
  EXPECT_EQ(read_from(packed_by_other, 1), 25u);
  EXPECT_EQ(other.unpacked().misses(), 2u);
}

// A few bytes that unpack to far more than they claim.
TEST(MessageBlocksPacking, RefusesADecompressionBombWithoutUnpackingAllOfIt) {
  const auto bomb = test_packer().zstd().pack(std::string(kMostUnpacked, '\0'), 9);
  ASSERT_TRUE(bomb);
  ASSERT_LT(bomb->size(), 100u);
  MessageBlocks messages;
  const auto added =
      messages.append_block({Offset(1), UnixMs(0), 5, 200}, Buffer::copy_of(bomb->view()), &test_packer());
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().text, "a packed block that does not unpack");
}

}  // namespace
}  // namespace millrace
