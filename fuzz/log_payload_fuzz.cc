// A log from untrusted bytes: RESTORE, a loaded RDB, TAPPLY.
// Whatever decodes is a valid log in every respect, and works like any other.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/blocks/packing.h"
#include "engine/log/log.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"
#include "tests/model/group_view.h"
#include "tests/model/log_bytes.h"
#include "tests/model/test_packer.h"

namespace millrace {
namespace {

// What decoding may allocate: the bytes themselves, and an index of at most one tag for each five bytes, or groups and
// pending messages in memory; the lists grow by doubling. Also the place of each block in a list. A packed block is
// unpacked to be checked: this takes at most the size that its header is allowed to say, and an index of that.
constexpr uint64_t kPerInputByte = 128;
constexpr uint64_t kPerBlock = 1024;
constexpr uint64_t kPerPackedBlock = 32 * kMostUnpacked;
constexpr uint64_t kAtAll = 4096 + 512 * 1024;  // the packing library's own memory, once

void require_same(const Log& a, const Log& b) {
  REQUIRE(a.first() == b.first() && a.next() == b.next() && a.clock() == b.clock());
  REQUIRE(a.payload() == b.payload() && a.retention() == b.retention() && a.block_count() == b.block_count());
  REQUIRE(a.missing() == b.missing() && a.evicted_end() == b.evicted_end());
  Log::Cursor in_a(a, a.first()), in_b(b, b.first());
  Message x{}, y{};
  while (in_a.next(x)) {
    REQUIRE(in_b.next(y));
    REQUIRE(x.offset == y.offset && x.tag == y.tag && x.entry == y.entry && x.written == y.written);
  }
  REQUIRE(!in_b.next(y));
  REQUIRE(millrace::testing::same_groups(a, b));
  REQUIRE(millrace::testing::log_to_bytes(a) == millrace::testing::log_to_bytes(b));
}

// Every way of reading gives the same messages.
void read_everything(const Log& log) {
  uint64_t count = 0, payload = 0;
  Message message{};
  std::string tag;
  Offset expected = log.first();
  for (Log::Cursor cursor(log, log.first()); cursor.next(message); ++count) {
    tag = message.tag;
    payload += message.tag.size() + message.entry.size();
    REQUIRE(log.missing() == 0 ? message.offset == expected : message.offset >= expected);
    expected = message.offset + 1;
    REQUIRE(log.seek(message.written) <= message.offset);
    // Not from each message: the time would be the square of the input's size.
    if (count % 7 != 0) continue;
    Message again{};
    REQUIRE(Log::Cursor(log, message.offset).next(again));
    REQUIRE(again.entry == message.entry && again.tag == message.tag && again.written == message.written);
  }
  REQUIRE(count == log.count());
  REQUIRE(payload == log.payload());
  if (count == 0) return;

  Log::Cursor by_tag(log, log.first());
  Message found{};
  const std::vector<TagFilter::Probe> last_tag = {TagFilter::Probe(tag)};
  do {
    while (by_tag.skip_block_without(last_tag)) {
    }
  } while (by_tag.next(found) && found.tag != tag);
  REQUIRE(found.tag == tag);
}

// Only the newest message of each tag stays.
void compact(Log& log) {
  Retention retention = log.retention();
  retention.latest = true;
  log.set_retention(retention);
  while (log.wants_compaction()) log.compact(millrace::testing::kTestTagKey, 50, {.bytes = 256, .messages = 8});
  REQUIRE(log.check() == nullptr);
  std::map<std::string, Offset> newest;
  Message message{};
  for (Log::Cursor cursor(log, log.first()); cursor.next(message);) {
    REQUIRE(newest.emplace(message.tag, message.offset).second);
  }
}

// The schedule is written, and messages are deleted, including the last one.
void release_and_delete(Log& log) {
  if (LogExtras* extras = log.extras()) {
    for (int i = 0; i < 20 && !extras->schedule.empty() && log.room() != 0; ++i) {
      const Schedule::Waiting first = extras->schedule.front();
      log.append(first.tag, first.entry, {.bytes = 256, .messages = 8});
      extras->schedule.pop_front();
    }
    if (extras->ids) extras->ids->expire(log.clock(), 10);
  }
  for (int i = 0; i < 3 && !log.empty(); ++i) {
    Removal removal;
    removal.add(i == 1 ? log.first() : Offset(log.end_of_messages().value() - 1));
    REQUIRE(log.holds_all(removal));
    log.delete_messages(removal, {.bytes = 256, .messages = 8});
    REQUIRE(log.check() == nullptr);
  }
}

void write_and_evict(Log& log) {
  release_and_delete(log);
  const uint64_t room = log.room();
  for (uint64_t i = 0; i < 20 && i < room; ++i) {
    const Offset expected = log.next();
    log.tick(log.clock().value() < INT64_MAX ? log.clock() + 1 : log.clock());
    REQUIRE(log.append(i % 2 == 0 ? "" : "fuzz", "entry", {.bytes = 256, .messages = 8}) == expected);
  }
  REQUIRE(log.check() == nullptr);
  while (log.has_unpacked()) log.pack_next(millrace::testing::test_packer(), kLeastPackLevel);
  REQUIRE(log.check() == nullptr);
  read_everything(log);
  log.enforce_size_limits();
  REQUIRE(log.check() == nullptr);
  log.enforce_age(log.clock());
  REQUIRE(log.check() == nullptr);
  compact(log);
  const uint64_t count = log.count();
  REQUIRE(log.keep_newest(count - count / 2) == count / 2);
  REQUIRE(log.check() == nullptr);
  log.keep_newest(1);
  REQUIRE(log.check() == nullptr);
  log.evict_before(log.next());
  REQUIRE(log.empty() && log.payload() == 0 && log.check() == nullptr);
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  millrace::testing::test_packer().unpacked().set_limit(0);
  const uint64_t before = fuzz::allocated_bytes();
  auto log = millrace::testing::log_from_bytes({reinterpret_cast<const char*>(bytes), size});
  // For a log that was refused: a block takes at least 9 bytes, a packed one 20.
  const uint64_t blocks = log ? log->block_count() : size / 8;
  const uint64_t packed = log ? log->packed_blocks() + 1 : size / 20;
  REQUIRE(fuzz::allocated_bytes() - before <=
          kAtAll + kPerInputByte * size + kPerBlock * blocks + kPerPackedBlock * packed);
  if (!log) {
    REQUIRE(log.error().code == ErrorCode::Corrupt && !log.error().text.empty());
    return 0;
  }
  REQUIRE(log->check() == nullptr);
  read_everything(*log);
  const auto again = millrace::testing::log_from_bytes(millrace::testing::log_to_bytes(*log));
  REQUIRE(again.has_value());
  REQUIRE(again->check() == nullptr);
  require_same(*log, *again);
  require_same(*log, log->clone());
  write_and_evict(*log);
  return 0;
}
