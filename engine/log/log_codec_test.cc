#include "engine/log/log_codec.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "engine/log/log_extras_codec.h"
#include "engine/log/log_requests.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

std::string varints(std::initializer_list<uint64_t> numbers) {
  std::string bytes;
  for (uint64_t number : numbers) append_varint(bytes, number);
  return bytes;
}

// Encodes and restores the log, as a save and a load do, and checks it after each step.
Log reloaded(const Log& log) {
  Log again;
  const auto head = decode_log_head(encode_log_head(log));
  if (!head) {
    ADD_FAILURE() << head.error().text;
    return again;
  }
  EXPECT_EQ(head->blocks, log.block_count());
  log.each_block([&](const Block& block) {
    const auto header = decode_block_header(encode_block_header(block));
    ASSERT_TRUE(header) << header.error().text;
    const auto added =
        again.append_block(*header, Buffer::copy_of(block.bytes()), testing::test_packer(), Log::Gaps::Allowed);
    EXPECT_TRUE(added) << added.error().text;
    EXPECT_EQ(again.check(), nullptr);
  });
  const auto restored = again.restore_head(*head);
  EXPECT_TRUE(restored) << restored.error().text;
  EXPECT_EQ(again.check(), nullptr);
  return again;
}

void expect_same(const Log& a, const Log& b) {
  EXPECT_EQ(a.first(), b.first());
  EXPECT_EQ(a.next(), b.next());
  EXPECT_EQ(a.clock(), b.clock());
  EXPECT_EQ(a.payload(), b.payload());
  EXPECT_EQ(a.retention(), b.retention());
  EXPECT_EQ(a.block_count(), b.block_count());
  Message x{}, y{};
  Log::Cursor in_a(a, Offset(1)), in_b(b, Offset(1));
  while (in_a.next(x)) {
    ASSERT_TRUE(in_b.next(y));
    EXPECT_EQ(x.offset, y.offset);
    EXPECT_EQ(x.tag, y.tag);
    EXPECT_EQ(x.entry, y.entry);
    EXPECT_EQ(x.written, y.written);
  }
  EXPECT_FALSE(in_b.next(y));
}

Log log_of(int count) {
  Log log;
  for (int i = 0; i < count; ++i) {
    log.tick(UnixMs(1000u + static_cast<unsigned>(i)));
    log.append(std::to_string(i % 3), std::to_string(i), {.bytes = 64, .messages = 10});
  }
  return log;
}

TEST(LogCodec, WritesTheBytesThatItsHeaderDescribes) {
  Log log;
  EXPECT_EQ(encode_log_head(log), varints({2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0}));
  log.tick(UnixMs(500));
  log.append("t", "e");
  log.append("t", "e");
  log.evict_before(Offset(2));
  log.set_retention({.count = 7, .age_ms = 8, .bytes = 9, .acked = true, .latest = true});
  log.create_group("g", Offset(2));
  EXPECT_EQ(encode_log_head(log), varints({2, 2, 3, 500, 7, 8, 9, 3, 1, 1, 2, 0}));
  log.each_block([](const Block& block) { EXPECT_EQ(encode_block_header(block), varints({1, 500, 2})); });
}

TEST(LogCodec, ARestoredLogEqualsTheSavedOne) {
  for (int count : {0, 1, 2, 100}) {
    for (uint64_t evicted : {0u, 1u, 7u, 57u, 100u}) {
      SCOPED_TRACE(::testing::Message() << count << " messages, " << evicted << " evicted");
      Log log = log_of(count);
      log.evict_before(Offset(evicted + 1));
      log.set_retention({.count = 1000, .age_ms = 60000, .bytes = 1 << 20});
      log.tick(UnixMs(5000));
      expect_same(log, reloaded(log));
    }
  }
}

TEST(LogCodec, AReloadedLogContinuesLikeTheOriginal) {
  Log log = log_of(57);
  log.evict_before(Offset(20));
  Log again = reloaded(log);
  for (Log* each : {&log, &again}) {
    for (int i = 0; i < 30; ++i) each->append(std::to_string(i % 5), "later", {.bytes = 64, .messages = 10});
    each->evict_before(Offset(60));
    EXPECT_EQ(each->check(), nullptr);
  }
  expect_same(log, again);
}

TEST(LogCodec, AnEmptyLogKeepsItsOffsets) {
  Log log = log_of(10);
  log.evict_before(log.next());
  Log again = reloaded(log);
  EXPECT_TRUE(again.empty());
  EXPECT_EQ(again.append("t", "e"), Offset(11));
  EXPECT_EQ(again.check(), nullptr);
}

TEST(LogCodec, ReadsAHeadOfTheFirstVersion) {
  const auto head = decode_log_head(varints({1, 5, 9, 500, 7, 8, 9, 1, 2, 3}));
  ASSERT_TRUE(head) << head.error().text;
  EXPECT_EQ(head->first, Offset(5));
  EXPECT_EQ(head->evicted_end, Offset(5));
  EXPECT_EQ(head->retention, (Retention{.count = 7, .age_ms = 8, .bytes = 9, .acked = true}));
  EXPECT_EQ(head->blocks, 2u);
  EXPECT_EQ(head->groups, 3u);
}

TEST(LogCodec, ALogThatHasUsedAllOffsetsIsRestored) {
  Log log;
  LogHead head;
  head.first = head.next = kMaxOffset - 3;
  ASSERT_TRUE(log.restore_head(head));
  while (log.room() > 0) log.append("t", "e");
  EXPECT_EQ(log.next(), kMaxOffset);
  expect_same(log, reloaded(log));
  log.evict_before(log.next());
  expect_same(log, reloaded(log));
}

struct CorruptRow {
  const char* name;
  std::string bytes;
  const char* reason;
};

constexpr uint64_t kTooLarge = uint64_t{1} << 63;

const CorruptRow kCorruptHeads[] = {
    {"nothing", "", "a log of a version this module does not know"},
    {"version 0", varints({0, 1, 1, 0, 0, 0, 0, 0, 0, 0}), "a log of a version this module does not know"},
    {"version 3", varints({3, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0}), "a log of a version this module does not know"},
    {"version 2 as short as 1", varints({2, 1, 1, 0, 0, 0, 0, 0, 0, 0}), "a log head of the wrong length"},
    {"version 1 as long as 2", varints({1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0}), "a log head of the wrong length"},
    {"version 1 with LATEST", varints({1, 1, 1, 0, 0, 0, 0, 2, 0, 0}), "a log head with an impossible limit"},
    {"an unknown flag", varints({2, 1, 1, 0, 0, 0, 0, 4, 0, 0, 1, 0}), "a log head with an impossible limit"},
    {"evicted before the first offset", varints({2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
     "a log head with impossible offsets"},
    {"evicted what is there", varints({2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0}), "a log head with impossible offsets"},
    {"more compacted than there can be", varints({2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, kTooLarge}),
     "a log head with an impossible limit"},
    {"a number missing", varints({1, 1, 1, 0, 0, 0, 0, 0, 0}), "a log head of the wrong length"},
    {"a number too many", varints({1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}), "a log head of the wrong length"},
    {"cut inside a number", varints({1, 1, 1, 0, 0, 0, 0, 0, 0, 300}).substr(0, 10), "a log head of the wrong length"},
    {"first 0", varints({1, 0, 1, 0, 0, 0, 0, 0, 0, 0}), "a log head with impossible offsets"},
    {"first after next", varints({1, 3, 2, 0, 0, 0, 0, 0, 0, 0}), "a log head with impossible offsets"},
    {"next too large", varints({1, 1, kTooLarge, 0, 0, 0, 0, 0, 0, 0}), "a log head with impossible offsets"},
    {"clock too large", varints({1, 1, 1, kTooLarge, 0, 0, 0, 0, 0, 0}), "a log head beyond the end of time"},
    {"count too large", varints({1, 1, 1, 0, kTooLarge, 0, 0, 0, 0, 0}), "a log head with an impossible limit"},
    {"age too large", varints({1, 1, 1, 0, 0, kTooLarge, 0, 0, 0, 0}), "a log head with an impossible limit"},
    {"bytes too large", varints({1, 1, 1, 0, 0, 0, UINT64_MAX, 0, 0, 0}), "a log head with an impossible limit"},
    {"acked neither yes nor no", varints({1, 1, 1, 0, 0, 0, 0, 2, 0, 0}), "a log head with an impossible limit"},
};

TEST(LogCodec, RefusesAnInvalidHead) {
  for (const CorruptRow& row : kCorruptHeads) {
    SCOPED_TRACE(row.name);
    const auto head = decode_log_head(row.bytes);
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(head.error().text, row.reason);
  }
}

const CorruptRow kCorruptBlockHeaders[] = {
    {"nothing", "", "a block header of the wrong length"},
    {"a number missing", varints({1, 0}), "a block header of the wrong length"},
    {"packed bytes of nothing", varints({1, 0, 1, 0}), "a packed block without content"},
    {"gaps that are none", varints({1, 0, 1, 0, 0}), "a block with gaps but no missing offsets"},
    {"a number too many", varints({1, 0, 1, 0, 1, 0}), "a block header of the wrong length"},
    {"an unpacked size beyond 32 bits", varints({1, 0, 1, uint64_t{1} << 32}), "a block header of the wrong length"},
    {"a count beyond 32 bits", varints({1, 0, uint64_t{1} << 32}), "a block header of the wrong length"},
    {"a number beyond 64 bits", std::string(11, '\xff'), "a block header of the wrong length"},
};

TEST(LogCodec, RefusesMoreDeletionsByTagThanALogMayHave) {
  Log log;
  log.append("t", "e");
  TagDeletion deletion{.tags = std::vector<std::string>(kMaxTags, "tag"), .at = Offset(1), .end = Offset(2)};
  for (size_t i = 0; i < kMaxTagDeletions; ++i) EXPECT_TRUE(restore_deletion(log, encode_deletion(deletion)));
  EXPECT_EQ(restore_deletion(log, encode_deletion(deletion)).error().code, ErrorCode::Corrupt);
  EXPECT_EQ(log.extras()->deletions.size(), kMaxTagDeletions);
  log.extras()->deletions.clear();
  deletion.tags.emplace_back("one too many");
  EXPECT_EQ(restore_deletion(log, encode_deletion(deletion)).error().code, ErrorCode::Corrupt);
}

TEST(LogCodec, RefusesAnInvalidBlockHeader) {
  for (const CorruptRow& row : kCorruptBlockHeaders) {
    SCOPED_TRACE(row.name);
    const auto header = decode_block_header(row.bytes);
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(header.error().text, row.reason);
  }
}

}  // namespace
}  // namespace millrace
