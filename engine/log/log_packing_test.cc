// A log whose full blocks are packed is the same log.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/blocks/packing.h"
#include "engine/log/log.h"
#include "engine/log/log_codec.h"

namespace millrace {
namespace {

// Ten messages fill a block.
constexpr BlockLimits kTens{.bytes = 1 << 20, .messages = 10};
constexpr int kLevel = 1;

std::string entry_of(uint64_t offset) { return "message " + std::to_string(offset) + std::string(100, '.'); }

// Message n has the date n * 10 and the tag of its block's number.
Log log_of(uint64_t count) {
  Log log;
  for (uint64_t offset = 1; offset <= count; ++offset) {
    log.tick(UnixMs(offset * 10));
    log.append("block " + std::to_string((offset - 1) / 10), entry_of(offset), kTens);
  }
  return log;
}

void pack_all(Log& log) {
  while (log.has_unpacked()) {
    log.pack_next(kLevel);
    EXPECT_EQ(log.check(), nullptr);
  }
}

Log packed_log_of(uint64_t count) {
  Log log = log_of(count);
  pack_all(log);
  return log;
}

// All offsets from `from` on, each with its own entry and date.
uint64_t read_from(const Log& log, uint64_t from) {
  uint64_t count = 0;
  Message message{};
  for (Log::Cursor cursor(log, Offset(from)); cursor.next(message); ++count) {
    EXPECT_EQ(message.offset, Offset(from + count));
    EXPECT_EQ(message.entry, entry_of(message.offset.value()));
    EXPECT_EQ(message.written, UnixMs(message.offset.value() * 10));
  }
  return count;
}

Buffer buffer_of(ByteView bytes) {
  Buffer buffer;
  buffer.reserve(static_cast<uint32_t>(bytes.size()));
  bytes.copy(buffer.extend(static_cast<uint32_t>(bytes.size())), bytes.size());
  return buffer;
}

TEST(LogPacking, TakesTheOldestFullBlockFirstAndNeverTheNewest) {
  Log log = log_of(35);
  for (uint64_t block = 1; block <= 3; ++block) {
    ASSERT_TRUE(log.has_unpacked());
    EXPECT_EQ(log.oldest_unpacked(), UnixMs(block * 100));
    EXPECT_GT(log.pack_next(kLevel), 0u);
    EXPECT_EQ(log.packed_blocks(), block);
    EXPECT_EQ(log.check(), nullptr);
  }
  EXPECT_FALSE(log.has_unpacked());
  EXPECT_EQ(log.oldest_unpacked(), std::nullopt);
  EXPECT_EQ(log.block_count(), 4u);
}

TEST(LogPacking, GivesMemoryBackAndSaysHowMuch) {
  Log log = log_of(35);
  const uint64_t before = log.memory();
  pack_all(log);
  EXPECT_GT(log.saved_by_packing(), 2000u);
  EXPECT_LE(log.memory(), before - log.saved_by_packing());
  EXPECT_EQ(log.payload(), log_of(35).payload());
}

TEST(LogPacking, ReadersSeeTheSameMessages) {
  const Log log = packed_log_of(95);
  for (uint64_t from = 1; from <= 95; ++from) EXPECT_EQ(read_from(log, from), 96 - from);
  for (uint64_t offset = 1; offset <= 95; ++offset) {
    EXPECT_EQ(log.seek(UnixMs(offset * 10)), Offset(offset));
    EXPECT_EQ(log.seek(UnixMs(offset * 10 - 9)), Offset(offset));
  }
}

TEST(LogPacking, ReadingOnUnpacksABlockOnce) {
  Log log = log_of(1000);
  while (log.has_unpacked()) log.pack_next(kLevel);
  const uint64_t before = unpacked_blocks().misses();
  EXPECT_EQ(read_from(log, 1), 1000u);
  EXPECT_EQ(unpacked_blocks().misses() - before, log.packed_blocks());
}

TEST(LogPacking, BlocksWithoutATagAreNotUnpacked) {
  Log log = log_of(1000);
  while (log.has_unpacked()) log.pack_next(kLevel);
  const std::vector<TagFilter::Probe> tags = {TagFilter::Probe("block 70")};
  const uint64_t before = unpacked_blocks().misses();
  Log::Cursor cursor(log, Offset(1));
  Message message{};
  uint64_t found = 0;
  do {
    while (cursor.skip_block_without(tags)) {
    }
    if (!cursor.next(message)) break;
    if (message.tag == "block 70") ++found;
  } while (true);
  EXPECT_EQ(found, 10u);
  EXPECT_LT(unpacked_blocks().misses() - before, 20u) << "one, and what the filter lets through by chance";
}

TEST(LogPacking, EvictingMessageByMessageUnpacksABlockOnce) {
  Log log = packed_log_of(95);
  const uint64_t before = unpacked_blocks().hits() + unpacked_blocks().misses();
  for (uint64_t first = 2; first <= 96; ++first) {
    EXPECT_EQ(log.evict_before(Offset(first)), 1u);
    if (first == 96) break;
    EXPECT_EQ(log.first_time(), UnixMs(first * 10));
  }
  EXPECT_EQ(unpacked_blocks().hits() + unpacked_blocks().misses() - before, 9u);
  EXPECT_TRUE(log.empty());
}

TEST(LogPacking, ABlockThatDoesNotGetSmallerStaysAndIsNotTriedAgain) {
  Log log;
  for (int i = 0; i < 4; ++i) log.append("", "", {.bytes = 1 << 20, .messages = 2});
  ASSERT_TRUE(log.has_unpacked());
  EXPECT_EQ(log.pack_next(kLevel), 0u);
  EXPECT_EQ(log.packed_blocks(), 0u);
  EXPECT_FALSE(log.has_unpacked());
  EXPECT_EQ(log.check(), nullptr);
}

TEST(LogPacking, ALargeBlockStaysAsItIs) {
  Log log;
  log.append("t", std::string(kMostUnpacked, 'x'));
  log.append("t", "next");
  EXPECT_EQ(log.pack_next(kLevel), 0u);
  EXPECT_EQ(log.packed_blocks(), 0u);
}

TEST(LogPacking, ABlockThatIsPartlyEvictedStaysAsItIs) {
  Log log = log_of(35);
  log.evict_before(Offset(5));
  EXPECT_EQ(log.pack_next(kLevel), 0u);
  EXPECT_GT(log.pack_next(kLevel), 0u);
  EXPECT_EQ(log.packed_blocks(), 1u);
}

TEST(LogPacking, ACloneIsPackedToo) {
  const Log log = packed_log_of(35);
  const Log copy = log.clone();
  EXPECT_EQ(copy.check(), nullptr);
  EXPECT_EQ(copy.packed_blocks(), 3u);
  EXPECT_FALSE(copy.has_unpacked());
  EXPECT_EQ(read_from(copy, 1), 35u);
}

// What a loader does with the blocks of `log`.
Result<Log> reloaded(const Log& log) {
  Log again;
  Result<void> added;
  log.each_block([&](const Block& block) {
    const auto header = decode_block_header(encode_block_header(block));
    if (added) added = again.append_block(*header, buffer_of(block.bytes()));
  });
  if (!added) return std::unexpected(added.error());
  if (auto restored = again.restore_head(*decode_log_head(encode_log_head(log))); !restored) {
    return std::unexpected(restored.error());
  }
  return again;
}

TEST(LogPacking, PackedBlocksAreSavedAndLoadedAsTheyAre) {
  Log log = packed_log_of(35);
  auto again = reloaded(log);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->check(), nullptr);
  EXPECT_EQ(again->packed_blocks(), 3u);
  EXPECT_FALSE(again->has_unpacked());
  EXPECT_EQ(read_from(*again, 1), 35u);
  again->tick(UnixMs(360));
  EXPECT_EQ(again->append("t", entry_of(36), kTens), Offset(36));
  EXPECT_EQ(read_from(*again, 1), 36u);
}

TEST(LogPacking, GoesOnAfterWhatWasLoadedPacked) {
  Log log = log_of(55);
  log.pack_next(kLevel);
  log.pack_next(kLevel);
  auto again = reloaded(log);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->oldest_unpacked(), UnixMs(300));
  pack_all(*again);
  EXPECT_EQ(again->packed_blocks(), 5u);
}

// The second block of a log as it is saved, packed.
struct SavedBlock {
  BlockHeader header;
  std::string bytes;
};
SavedBlock second_block() {
  SavedBlock saved;
  packed_log_of(25).each_block([&](const Block& block) {
    if (block.first() == Offset(11)) saved = {block.header(), std::string(block.bytes())};
  });
  return saved;
}

TEST(LogPacking, RefusesPackedBlocksThatAreDamagedAndSaysWhy) {
  const SavedBlock good = second_block();
  const auto why = [](BlockHeader header, ByteView bytes) -> std::string {
    Log log = log_of(10);
    const auto added = log.append_block(header, buffer_of(bytes));
    EXPECT_EQ(log.check(), nullptr);
    EXPECT_EQ(log.last(), Offset(added ? 20 : 10));
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
  EXPECT_EQ(why(header, good.bytes), "a packed block that is no smaller for it");
  header.unpacked = kMostUnpacked + 1;
  EXPECT_EQ(why(header, good.bytes), "a packed block that is too large to be one");
  header = good.header;
  header.count = 11;
  EXPECT_EQ(why(header, good.bytes), "a block ends inside a tag");
  header.count = 9;
  EXPECT_EQ(why(header, good.bytes), "bytes after the last message of a block");
}

// A few bytes that unpack to far more than they claim.
TEST(LogPacking, RefusesABombWithoutUnpackingIt) {
  const auto bomb = pack(std::string(kMostUnpacked, '\0'), 9);
  ASSERT_TRUE(bomb);
  ASSERT_LT(bomb->size(), 100u);
  Log log;
  const auto added = log.append_block({Offset(1), UnixMs(0), 5, 200}, buffer_of(bomb->view()));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().text, "a packed block that does not unpack");
}

}  // namespace
}  // namespace millrace
