// Random histories of a log, compared with the model after every step.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include "tests/model/log_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/log/log.h"
#include "tests/model/log_bytes.h"
#include "tests/model/seeds.h"
#include "tests/model/test_packer.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 500;
constexpr int kSteps = 200;
// With more messages than this, the next step is an eviction: comparing everything after every step takes long.
constexpr size_t kMostMessages = 600;

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    // Two of three histories have tiny blocks, so that there are many of them.
    if (chance(3)) return;
    limits_ = {.bytes = static_cast<uint32_t>(between(64, 512)), .messages = static_cast<uint32_t>(between(1, 40))};
  }
  // Packs everything that can be packed after every step, and keeps almost nothing unpacked.
  void force_packing() { packs_always_ = true; }
  // Keeps only the newest message of each tag, and continues that work after every step.
  void force_compaction() { compacts_always_ = true; }

  void run() {
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      const char* what = take_step();
      if (compacts_always_) compact();
      if (packs_always_) pack(UINT64_MAX);
      SCOPED_TRACE(::testing::Message() << "after step " << step << ": " << what);
      compare();
    }
  }

 private:
  // --- random things ---
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  // An offset near the log's own, at its ends more often than by chance.
  uint64_t some_offset() {
    switch (between(0, 7)) {
      case 0:
        return model_.first();
      case 1:
        return model_.next;
      case 2:
        return chance(2) ? 0 : UINT64_MAX;
      default:
        return between(model_.first() > 5 ? model_.first() - 5 : 0, model_.next + 5);
    }
  }
  uint64_t some_time() {
    const uint64_t oldest = model_.messages.empty() ? model_.clock : model_.messages.front().time;
    return chance(8) ? between(0, 1) * INT64_MAX : between(oldest > 5 ? oldest - 5 : 0, model_.clock + 5);
  }
  std::string some_tag() {
    switch (between(0, 9)) {
      case 0:
        return "";
      case 1:
        return "unique " + std::to_string(model_.next);
      case 2:
        return std::string(between(100, 400), 'l');
      case 3:
        return "many " + std::to_string(between(0, 99));
      default:
        return std::string(1, static_cast<char>(between(0, 4)));
    }
  }
  std::string some_entry() {
    // Most are small, some are nothing, some fill several tiny blocks, few several normal ones.
    const uint64_t size = chance(10)    ? 0
                          : chance(300) ? between(10'000, 50'000)
                          : chance(15)  ? between(200, 2000)
                                        : between(1, 60);
    std::string entry(size, static_cast<char>(random_()));
    // Bytes that packing does not make smaller.
    if (chance(4)) std::ranges::generate(entry, [&] { return static_cast<char>(random_()); });
    return entry;
  }

  // --- steps ---
  const char* take_step() {
    if (model_.messages.size() > kMostMessages) return keep_newest();
    switch (between(0, 19)) {
      case 0:
        return tick_back();
      case 1:
        return evict_before();
      case 2:
        return chance(4) ? keep_newest() : tick();
      case 3:
        return set_retention();
      case 4:
        return enforce_size_limits();
      case 5:
        return enforce_age();
      case 6:
        return clone();
      case 7:
        return reload();
      case 8:
        return evict_all();
      case 9:
        return model_.retention.latest ? compact() : tick();
      case 10:
        return chance(2) ? pack(between(1, 5)) : tick();
      default:
        return append();
    }
  }
  const char* append() {
    const uint64_t count = chance(3) ? between(2, 40) : 1;
    for (uint64_t i = 0; i < count; ++i) {
      const std::string tag = some_tag(), entry = some_entry();
      EXPECT_EQ(log_.append(tag, entry, limits_), Offset(model_.append(tag, entry)));
    }
    return "append";
  }
  const char* tick() {
    const uint64_t now = model_.clock + (chance(40)  ? between(0, uint64_t{1} << 33)
                                         : chance(5) ? between(0, 100'000)
                                                     : between(0, 3));
    EXPECT_EQ(log_.tick(UnixMs(now)), model_.tick(now));
    return "tick";
  }
  const char* tick_back() {
    const uint64_t now = between(0, model_.clock);
    EXPECT_FALSE(log_.tick(UnixMs(now)));
    return "tick back";
  }
  const char* evict_before() {
    // Rarely evicts everything: an empty log tests little.
    const uint64_t offset = model_.first() + between(0, model_.messages.size() / 2 + 1);
    EXPECT_EQ(log_.evict_before(Offset(offset)), model_.evict_before(offset));
    return "evict_before";
  }
  const char* evict_all() {
    if (!chance(3)) return "nothing";
    EXPECT_EQ(log_.evict_before(Offset(UINT64_MAX)), model_.evict_before(UINT64_MAX));
    return "evict everything";
  }
  const char* keep_newest() {
    const uint64_t count = between(0, model_.messages.size() + 2);
    EXPECT_EQ(log_.keep_newest(count), model_.keep_newest(count));
    return "keep_newest";
  }
  const char* set_retention() {
    model_.retention = {.count = chance(2) ? 0 : between(1, 300),
                        .age_ms = chance(2) ? 0 : between(1, 200'000),
                        .bytes = chance(2) ? 0 : between(1, 20'000),
                        .acked = false,
                        .latest = chance(3)};
    log_.set_retention(model_.retention);
    return "set_retention";
  }
  // A slice or two, or as many as there is work for.
  const char* compact() {
    if (!model_.retention.latest) {
      if (!compacts_always_) return "nothing";
      model_.retention.latest = true;
      log_.set_retention(model_.retention);
    }
    const bool to_the_end = chance(3);
    const uint64_t budget = chance(3) ? 1'000 : between(1, 30);
    for (uint64_t slices = to_the_end ? 10'000 : between(1, 2); slices > 0 && log_.wants_compaction(); --slices) {
      const Removal removal = log_.compact(kTestTagKey, budget, limits_);
      for (const Removal::Range& range : removal.ranges) {
        for (Offset offset = range.from; offset < range.to; ++offset) take_out(offset.value());
      }
    }
    if (!to_the_end) return "compact";
    EXPECT_FALSE(log_.wants_compaction());
    std::set<std::string> tags;
    for (const ModelMessage& message : model_.messages) {
      EXPECT_TRUE(tags.insert(message.tag).second) << "an old message stays at " << message.offset;
    }
    return "compact to the end";
  }
  void take_out(uint64_t offset) {
    const auto found = std::ranges::find(model_.messages, offset, &ModelMessage::offset);
    ASSERT_NE(found, model_.messages.end()) << offset << " was not there";
    EXPECT_TRUE(model_.has_newer(*found)) << "the newest of its tag went: " << offset;
    model_.remove(offset);
  }
  const char* pack(uint64_t blocks) {
    for (; blocks > 0 && log_.has_unpacked(); --blocks) {
      const uint64_t packed = log_.packed_blocks(), saved = log_.saved_by_packing(), memory = log_.memory();
      EXPECT_TRUE(log_.oldest_unpacked());
      const uint64_t more = log_.pack_next(test_packer(), static_cast<int>(between(1, 9)));
      EXPECT_EQ(log_.packed_blocks(), packed + (more > 0 ? 1 : 0));
      EXPECT_EQ(log_.saved_by_packing(), saved + more);
      EXPECT_LE(log_.memory(), memory - more);
    }
    EXPECT_EQ(log_.oldest_unpacked().has_value(), log_.has_unpacked());
    return "pack";
  }
  const char* enforce_size_limits() {
    EXPECT_EQ(log_.enforce_size_limits(), model_.enforce_size_limits());
    return "enforce_size_limits";
  }
  const char* enforce_age() {
    const uint64_t now = model_.clock + between(0, 50'000);
    EXPECT_EQ(log_.enforce_age(UnixMs(now)), model_.enforce_age(now));
    return "enforce_age";
  }
  const char* clone() {
    log_ = log_.clone();
    return "clone";
  }
  const char* reload() {
    const std::string bytes = log_to_bytes(log_);
    auto again = log_from_bytes(bytes);
    EXPECT_TRUE(again) << again.error().text;
    if (!again) return "reload";
    EXPECT_EQ(log_to_bytes(*again), bytes);
    log_ = std::move(*again);
    return "reload";
  }

  // --- comparing ---
  void compare() {
    ASSERT_STREQ(log_.check(), nullptr);
    ASSERT_EQ(log_.first(), Offset(model_.first()));
    ASSERT_EQ(log_.next(), Offset(model_.next));
    ASSERT_EQ(log_.count(), model_.messages.size());
    ASSERT_EQ(log_.empty(), model_.messages.empty());
    ASSERT_EQ(log_.evicted_end(), Offset(model_.evicted_end));
    ASSERT_EQ(log_.clock(), UnixMs(model_.clock));
    ASSERT_EQ(log_.payload(), model_.payload());
    ASSERT_EQ(log_.retention(), model_.retention);
    const auto due = model_.next_age_due();
    ASSERT_EQ(log_.next_age_due(), due ? std::optional(UnixMs(*due)) : std::nullopt);
    compare_read(0);
    compare_read(some_offset());
    compare_read_by_tag(some_offset());
    const uint64_t time = some_time();
    ASSERT_EQ(log_.seek(UnixMs(time)), Offset(model_.seek(time))) << "seek " << time;
    compare_evicted();
  }

  void expect_same(const Message& message, const ModelMessage& expected) {
    ASSERT_EQ(message.offset, Offset(expected.offset));
    ASSERT_EQ(message.tag, expected.tag);
    ASSERT_EQ(message.entry, expected.entry);
    ASSERT_EQ(message.written, UnixMs(expected.time));
  }

  void compare_read(uint64_t from) {
    SCOPED_TRACE(::testing::Message() << "read from " << from);
    Log::Cursor cursor(log_, Offset(from));
    Message message{};
    for (const ModelMessage& expected : model_.messages) {
      if (expected.offset < from) continue;
      ASSERT_TRUE(cursor.next(message)) << "nothing at " << expected.offset;
      expect_same(message, expected);
    }
    ASSERT_FALSE(cursor.next(message)) << "too much: " << message.offset.value();
  }

  // As TREAD does: blocks that cannot hold the tags are skipped.
  void compare_read_by_tag(uint64_t from) {
    const std::vector<std::string> tags = {some_tag(), some_tag()};
    const std::vector<TagFilter::Probe> probes = {TagFilter::Probe(tags[0]), TagFilter::Probe(tags[1])};
    const auto wanted = [&](ByteView tag) { return tag == tags[0] || tag == tags[1]; };
    Log::Cursor cursor(log_, Offset(from));
    Message message{};
    const auto next_wanted = [&] {
      do {
        while (cursor.skip_block_without(probes)) {
        }
        if (!cursor.next(message)) return false;
      } while (!wanted(message.tag));
      return true;
    };
    SCOPED_TRACE(::testing::Message() << "read by tag from " << from);
    for (const ModelMessage& expected : model_.messages) {
      if (expected.offset < from || !wanted(expected.tag)) continue;
      ASSERT_TRUE(next_wanted()) << "nothing at " << expected.offset;
      expect_same(message, expected);
    }
    ASSERT_FALSE(next_wanted()) << "too much: " << message.offset.value();
  }

  // Evicted blocks are handed out in order, whole, and only when all their messages are gone.
  void compare_evicted() {
    if (chance(2)) return;
    const uint64_t before = log_.memory();
    log_.take_evicted().each([&](const Block& block) {
      ASSERT_LE(block.end(), log_.first());
      ASSERT_FALSE(block.empty());
    });
    ASSERT_LE(log_.memory(), before);
  }

  std::mt19937_64 random_;
  bool packs_always_ = false;
  bool compacts_always_ = false;
  BlockLimits limits_;
  Log log_;
  LogModel model_;
};

TEST(LogModel, RandomHistoriesAgreeWithTheModel) {
  run_seeds(kSeeds, [](uint64_t seed) { History(seed).run(); });
}

// Almost without a cache, a reader that uses bytes which are no longer held for it is detected, at the latest by the
// sanitizer.
TEST(LogModel, RandomHistoriesAgreeWithTheModelWhenEveryBlockIsPackedAtOnce) {
  test_packer().unpacked().set_limit(0);
  run_seeds(kSeeds, [](uint64_t seed) {
    History history(seed);
    history.force_packing();
    history.run();
  });
  test_packer().unpacked().set_limit(uint64_t{16} * 1024 * 1024);
}

TEST(LogModel, RandomHistoriesAgreeWithTheModelWhenTheLogIsCompactedAtEveryStep) {
  run_seeds(kSeeds, [](uint64_t seed) {
    History history(seed);
    history.force_compaction();
    history.run();
  });
}

TEST(LogModel, RandomHistoriesAgreeWithTheModelWhenTheLogIsCompactedAndPackedAtEveryStep) {
  test_packer().unpacked().set_limit(0);
  run_seeds(kSeeds, [](uint64_t seed) {
    History history(seed);
    history.force_packing();
    history.force_compaction();
    history.run();
  });
  test_packer().unpacked().set_limit(uint64_t{16} * 1024 * 1024);
}

}  // namespace
}  // namespace millrace::testing
