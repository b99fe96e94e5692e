// Groups from untrusted bytes, as RESTORE and TAPPLY bring them: a history of effects on a small log. Whatever is
// accepted leaves a valid log, which can be saved and loaded, and works like any other; what is refused changes
// nothing.
//
//   input := (kind length bytes)*      kind and length are varints; kinds: kEffects below
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "engine/base/decoder.h"
#include "engine/log/group_codec.h"
#include "engine/log/group_effects.h"
#include "engine/log/log_codec.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"
#include "tests/model/group_view.h"
#include "tests/model/log_bytes.h"

namespace millrace {
namespace {

using millrace::testing::same_groups;

// What an effect may allocate: its parts, in a list whose capacity grows by doubling, and what they become in memory;
// and for each piece that it can name, all that is pending.
constexpr uint64_t kPerInputByte = 128;
constexpr uint64_t kPerInputByteAndRange = 256;
constexpr uint64_t kAtAll = 16 * 1024;

// Messages 11 to 200. "g" has delivered them up to 100: some are pending, some with a consumer, some due at 1,100, some
// never due.
Log small_log() {
  Log log;
  for (int i = 0; i < 200; ++i) log.append("t", "e");
  log.evict_before(Offset(11));
  Group& group = log.create_group("g", log.first());
  const auto read = [&](uint64_t count, std::optional<Retry> retry, std::optional<ByteView> consumer) {
    group.apply(group.plan(log.next(), count, UnixMs(1000), retry, consumer, 1000));
  };
  read(10, Retry{.retry_ms = 100, .expire_ms = 500}, "c");
  read(70, Retry{.retry_ms = 5000, .expire_ms = 0}, {});
  read(10, std::nullopt, {});
  group.acknowledge(Offset(25), Offset(40));
  return log;
}

using Effect = Result<void> (*)(Log& log, ByteView bytes);
Result<void> apply_compacted(Log& log, ByteView bytes) {
  const uint64_t count = log.count();
  const auto removed = apply_removal(log, bytes, {.bytes = 512, .messages = 50});
  if (!removed) return std::unexpected(removed.error());
  REQUIRE(log.count() == count - *removed && log.last() == Offset(200));
  return {};
}

constexpr Effect kEffects[] = {restore_group,   restore_pending, apply_delivery,   apply_giving_up, apply_giving_back,
                               apply_compacted, apply_finish,    apply_repetition, apply_use,       apply_drop};

uint64_t ranges_in(const Log& log) {
  uint64_t ranges = 0;
  for (const auto& [name, group] : log.groups()) ranges += group.pending().range_count();
  return ranges;
}

void apply(Log& log, Effect effect, ByteView bytes) {
  const Log before = log.clone();
  const uint64_t allocated = fuzz::allocated_bytes();
  const auto applied = effect(log, bytes);
  const uint64_t ranges = ranges_in(before) + ranges_in(log);
  REQUIRE(fuzz::allocated_bytes() - allocated <=
          kAtAll + bytes.size() * (kPerInputByte + kPerInputByteAndRange * ranges));
  REQUIRE(log.check() == nullptr);
  if (applied) return;
  REQUIRE(applied.error().code == ErrorCode::Corrupt && !applied.error().text.empty());
  REQUIRE(same_groups(log, before));
}

// Every group gives up, delivers and forgets as if its messages had been delivered normally.
void go_on(Log& log) {
  for (const auto& [name, constant] : log.groups()) {
    Group& group = *log.group(name);
    for (const uint64_t now : {uint64_t{1050}, uint64_t{2000}, kMaxPendingDate}) {
      group.apply(group.give_up_due(UnixMs(now), 1000));
      REQUIRE(log.check() == nullptr);
      Delivery delivery = group.plan(log.next(), 30, UnixMs(now), Retry{50, 100}, "fuzz", 100);
      REQUIRE(delivery.count() <= 30);
      log.locate(delivery);
      group.apply(delivery);
      REQUIRE(log.check() == nullptr);
    }
    const uint64_t pending = group.pending().count();
    REQUIRE(group.give_back(Offset(1), kMaxOffset, UnixMs(5), {.postpones_expiry = true}) == pending);
    REQUIRE(log.check() == nullptr);
  }
  log.evict_before(Offset(60));
  REQUIRE(log.check() == nullptr);
  for (const auto& [name, constant] : log.groups()) {
    Group& group = *log.group(name);
    const uint64_t pending = group.pending().count();
    REQUIRE(group.acknowledge(Offset(1), kMaxOffset) == pending);
    REQUIRE(group.pending().empty() && group.consumers().count() == 0);
  }
  log.set_retention({.acked = true});
  log.enforce_acked();
  REQUIRE(log.check() == nullptr);
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  Log log = small_log();
  Decoder in({reinterpret_cast<const char*>(bytes), size});
  // A bounded number, because everything is checked after each one.
  for (int i = 0; i < 30 && !in.finished(); ++i) {
    const uint64_t kind = in.number();
    const ByteView effect = in.bytes(in.number());
    if (!in.ok()) break;
    apply(log, kEffects[kind % std::size(kEffects)], effect);
  }
  const std::string saved = millrace::testing::log_to_bytes(log);
  const auto again = millrace::testing::log_from_bytes(saved);
  REQUIRE(again.has_value());
  REQUIRE(again->check() == nullptr);
  REQUIRE(same_groups(log, *again));
  REQUIRE(same_groups(log, log.clone()));
  go_on(log);
  return 0;
}
