#include "engine/log/compaction.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/log/log_codec.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

using testing::kTestTagKey;

constexpr BlockLimits kTiny{.bytes = 128, .messages = 10};
using State = CompactionProgress::State;

// A log that keeps the newest message of each tag; messages are written as their tags.
Log latest_log(const std::vector<std::string>& tags) {
  Log log;
  log.set_retention({.latest = true});
  for (const std::string& tag : tags) log.append(tag, "entry of " + tag, kTiny);
  return log;
}

// Compacts until there is nothing left to do; returns how many messages were removed.
uint64_t compact_all(Log& log, uint64_t budget = 5) {
  uint64_t removed = 0;
  for (int slices = 0; log.wants_compaction(); ++slices) {
    if (slices > 10'000) {
      ADD_FAILURE() << "compaction does not come to an end";
      break;
    }
    removed += log.compact(kTestTagKey, budget, kTiny).count();
    EXPECT_STREQ(log.check(), nullptr);
  }
  return removed;
}

std::vector<uint64_t> offsets(const Log& log) {
  std::vector<uint64_t> all;
  Message message{};
  for (Log::Cursor cursor(log, Offset(1)); cursor.next(message);) all.push_back(message.offset.value());
  return all;
}

TEST(Compaction, KeepsTheNewestMessageOfEachTag) {
  Log log = latest_log({"a", "b", "a", "c", "b", "a"});
  EXPECT_EQ(compact_all(log), 3u);
  EXPECT_EQ(offsets(log), (std::vector<uint64_t>{4, 5, 6}));
  EXPECT_EQ(log.first(), Offset(4));
  EXPECT_EQ(log.next(), Offset(7));
  EXPECT_EQ(log.count(), 3u);
  EXPECT_EQ(log.compacted_total(), 3u);
}

TEST(Compaction, ItsIndexIsFreedInPartsAfterItIsSwitchedOff) {
  std::vector<std::string> tags;
  for (int i = 0; i < 5000; ++i) tags.push_back(std::to_string(i));
  Log log = latest_log(tags);
  compact_all(log, 1000);
  EXPECT_EQ(log.take_unused_compaction(), nullptr) << "it is in use";
  const uint64_t before = log.memory();
  log.set_retention({});
  EXPECT_EQ(log.memory(), before) << "not given back yet";
  auto unused = log.take_unused_compaction();
  ASSERT_NE(unused, nullptr);
  EXPECT_EQ(log.take_unused_compaction(), nullptr);
  EXPECT_LT(log.memory(), before);
  int parts = 1;
  while (unused->free_some(1000)) ++parts;
  EXPECT_GT(parts, 3);
  EXPECT_LT(parts, 20);
  log.set_retention({.latest = true});
  log.append("7", "again", kTiny);
  EXPECT_EQ(compact_all(log, 1000), 1u) << "it begins anew";
}

TEST(Compaction, MessagesRemovedAtTheFrontDoNotCountAsEvicted) {
  Log log = latest_log({"a", "a", "b"});
  compact_all(log);
  EXPECT_EQ(log.first(), Offset(2));
  EXPECT_EQ(log.evicted_end(), Offset(1));
  log.evict_before(Offset(3));
  EXPECT_EQ(log.evicted_end(), Offset(3));
}

TEST(Compaction, OffsetsContinueAndLaterMessagesReplaceEarlierOnes) {
  Log log = latest_log({"a", "b"});
  EXPECT_EQ(compact_all(log), 0u);
  EXPECT_FALSE(log.wants_compaction());
  EXPECT_EQ(log.append("c", "", kTiny), Offset(3));
  EXPECT_FALSE(log.wants_compaction()) << "a new tag replaces nothing";
  EXPECT_EQ(log.append("b", "", kTiny), Offset(4));
  EXPECT_TRUE(log.wants_compaction());
  EXPECT_EQ(compact_all(log), 1u);
  EXPECT_EQ(offsets(log), (std::vector<uint64_t>{1, 3, 4}));
}

TEST(Compaction, WritesBetweenItsSlicesAreSafe) {
  Log log = latest_log({});
  for (int i = 0; i < 2000; ++i) {
    log.append("tag " + std::to_string(i * 7 % 31), "entry", kTiny);
    if (i % 3 == 0) log.compact(kTestTagKey, static_cast<uint64_t>(i % 11), kTiny);
    if (i % 100 == 0) {
      ASSERT_EQ(log.check(), nullptr);
    }
  }
  compact_all(log);
  EXPECT_EQ(log.count(), 31u);
  EXPECT_EQ(offsets(log).front(), 2000u - 30);
}

TEST(Compaction, ItsWorkDependsOnDirtyBlocksAndNotOnTheSizeOfTheLog) {
  Log log = latest_log({});
  for (int i = 0; i < 5000; ++i) log.append("tag " + std::to_string(i), "entry", kTiny);
  compact_all(log, 1000);
  log.append("tag 17", "again", kTiny);
  const Removal removal = log.compact(kTestTagKey, 20, kTiny);
  ASSERT_EQ(removal.count(), 1u);
  EXPECT_EQ(removal.ranges[0].from, Offset(18));
  EXPECT_FALSE(log.wants_compaction());
}

TEST(Compaction, FreesMemoryAndMergesTheRemainsOfBlocks) {
  Log log;
  log.set_retention({.latest = true});
  for (int i = 0; i < 100'000; ++i) log.append("tag " + std::to_string(i % 1000), std::string(100, 'e'));
  const uint64_t before = log.memory();
  while (log.wants_compaction()) log.compact(kTestTagKey, 500);
  EXPECT_EQ(log.check(), nullptr);
  EXPECT_EQ(log.count(), 1000u);
  EXPECT_LT(log.memory(), before / 50);
  EXPECT_LE(log.block_count(), 12u);
}

TEST(Compaction, OneRemainingMessageInEachBlockDoesNotKeepAllBlocks) {
  Log log;
  log.set_retention({.latest = true});
  for (int i = 0; i < 20'000; ++i) {
    log.append(i % 100 == 0 ? "only " + std::to_string(i) : "all", std::string(100, 'e'));
  }
  const size_t blocks = log.block_count();
  while (log.wants_compaction()) log.compact(kTestTagKey, 300);
  EXPECT_EQ(log.count(), 201u);
  EXPECT_LT(log.block_count() * 20, blocks);
  EXPECT_EQ(log.check(), nullptr);
}

TEST(Compaction, ReportsItsProgress) {
  Log log = latest_log(std::vector<std::string>(100, "a"));
  EXPECT_EQ(log.compaction_progress().state, State::Indexing);
  EXPECT_EQ(log.compaction_progress().reached, Offset(1));
  log.compact(kTestTagKey, 30, kTiny);
  EXPECT_EQ(log.compaction_progress().state, State::Indexing);
  EXPECT_EQ(log.compaction_progress().reached, Offset(31));
  log.compact(kTestTagKey, 75, kTiny);
  EXPECT_EQ(log.compaction_progress().state, State::Compacting);
  EXPECT_GT(log.compaction_progress().superseded, 80u);
  compact_all(log);
  EXPECT_EQ(log.compaction_progress().state, State::Clean);
  EXPECT_EQ(log.compaction_progress().superseded, 0u);
  log.set_retention({});
  EXPECT_EQ(log.compaction_progress().state, State::Off);
}

TEST(Compaction, StopsWhenSwitchedOffAndStartsAgainWhenSwitchedOn) {
  Log log = latest_log({"a", "a", "b"});
  log.compact(kTestTagKey, 2, kTiny);
  log.set_retention({});
  EXPECT_FALSE(log.wants_compaction());
  log.append("b", "", kTiny);
  log.set_retention({.latest = true});
  EXPECT_TRUE(log.wants_compaction());
  EXPECT_EQ(compact_all(log), 2u);
  EXPECT_EQ(offsets(log), (std::vector<uint64_t>{2, 4}));
}

// Tags with the same hash: the index cannot distinguish them.
std::vector<std::string> tags_with_one_hash(size_t count) {
  std::unordered_map<uint32_t, std::vector<std::string>> by_hash;
  for (uint64_t i = 0;; ++i) {
    // The index uses this hash, cut to fewer bits. Two tags with the same hash need some 80,000 tries.
    std::string tag = "tag " + std::to_string(i);
    auto& same = by_hash[static_cast<uint32_t>(keyed_hash(kTestTagKey, tag))];
    same.push_back(std::move(tag));
    if (same.size() == count) return same;
  }
}

TEST(Compaction, TagsWithTheSameHashDoNotReplaceEachOther) {
  const auto tags = tags_with_one_hash(2);
  const std::string &a = tags[0], &b = tags[1];
  const std::vector<std::vector<std::string>> histories = {
      {a, b}, {a, b, a}, {a, b, a, b}, {a, a, b, b, a}, {b, a, a, a, b, a}, {a, b, "x", b, "x", a, b}};
  for (const auto& history : histories) {
    for (uint64_t budget : {1u, 3u, 100u}) {
      for (size_t early = 0; early <= history.size(); ++early) {
        SCOPED_TRACE(::testing::Message() << "history " << (&history - histories.data()) << ", budget " << budget
                                          << ", " << early << " early");
        // The first messages are indexed from the existing log, the others when they are written.
        Log log = latest_log({history.begin(), history.begin() + static_cast<ptrdiff_t>(early)});
        compact_all(log, budget);
        for (size_t i = early; i < history.size(); ++i) {
          log.append(history[i], "", {.bytes = 128, .messages = 1});
          if (budget == 3) compact_all(log, budget);
        }
        compact_all(log, budget);
        std::unordered_map<std::string, uint64_t> newest;
        for (size_t i = 0; i < history.size(); ++i) newest[history[i]] = i + 1;
        EXPECT_EQ(log.count(), newest.size());
        Message message{};
        for (Log::Cursor cursor(log, Offset(1)); cursor.next(message);) {
          EXPECT_EQ(message.offset, Offset(newest.at(std::string(message.tag))));
        }
      }
    }
  }
}

TEST(Compaction, ItsEffectRemovesTheSameMessagesFromAReplica) {
  Log log = latest_log({"a", "b", "a", "c", "b", "a", "d"});
  Log replica = log.clone();
  while (log.wants_compaction()) {
    const Removal removal = log.compact(kTestTagKey, 3, kTiny);
    if (removal.empty()) continue;
    const auto applied = apply_removal(replica, encode_effect(removal), kTiny);
    ASSERT_TRUE(applied) << applied.error().text;
    EXPECT_EQ(*applied, removal.count());
  }
  EXPECT_EQ(offsets(replica), offsets(log));
  EXPECT_EQ(replica.compacted_total(), 3u);
  EXPECT_EQ(replica.check(), nullptr);
}

std::string varints(std::initializer_list<uint64_t> numbers) {
  std::string bytes;
  for (uint64_t number : numbers) append_varint(bytes, number);
  return bytes;
}

TEST(Compaction, AnEffectThatDoesNotFitIsRefusedAndChangesNothing) {
  struct Row {
    const char* name;
    std::string bytes;
    const char* reason;
  };
  const Row rows[] = {
      {"nothing", "", "compacted messages that end too early"},
      {"half a range", varints({2}), "compacted messages that end too early"},
      {"an empty range", varints({2, 0}), "compacted messages out of order"},
      {"a range at 0", varints({0, 2}), "compacted messages out of order"},
      {"ranges that touch", varints({2, 1, 0, 1}), "compacted messages out of order"},
      {"the last message", varints({5, 2}), "compacted messages that do not exist"},
      {"beyond the last", varints({100, 1}), "compacted messages that do not exist"},
      {"around the world", varints({2, UINT64_MAX}), "compacted messages that do not exist"},
      {"what has gone before", varints({1, 1}), "compacted messages that do not exist"},
      {"one that is, one that is not", varints({2, 1, 1, 1}), "compacted messages that do not exist"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Log log = latest_log({"a", "b", "c", "b", "d", "e"});
    log.remove({{{Offset(4), Offset(5)}}}, kTiny);
    log.evict_before(Offset(2));
    const auto applied = apply_removal(log, row.bytes);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().text, row.reason);
    EXPECT_EQ(offsets(log), (std::vector<uint64_t>{2, 3, 5, 6}));
    EXPECT_EQ(log.check(), nullptr);
  }
  Log empty;
  EXPECT_FALSE(apply_removal(empty, varints({1, 1})));
}

TEST(Compaction, EvictionAndLimitsCountExistingMessages) {
  Log log = latest_log({"a", "b", "c", "a", "b", "d", "e", "f"});
  compact_all(log);
  ASSERT_EQ(offsets(log), (std::vector<uint64_t>{3, 4, 5, 6, 7, 8}));
  log.append("d", "", kTiny);
  compact_all(log);
  ASSERT_EQ(offsets(log), (std::vector<uint64_t>{3, 4, 5, 7, 8, 9}));
  EXPECT_EQ(log.keep_newest(4), 2u);
  EXPECT_EQ(offsets(log), (std::vector<uint64_t>{5, 7, 8, 9}));
  EXPECT_EQ(log.evict_before(Offset(7)), 1u) << "6 was gone already";
  EXPECT_EQ(log.first(), Offset(7));
  EXPECT_EQ(log.check(), nullptr);
}

}  // namespace
}  // namespace millrace
