// A pool from untrusted bytes, as RESTORE and SHARD.APPLY bring them: its parts, one after the other, for a new pool
// and for one in use. Whatever a part says, the pool is valid after it, and unchanged if it was refused; it can be
// saved and loaded, and works like any other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "engine/base/decoder.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"
#include "tests/model/pool_bytes.h"

namespace millrace {
namespace {

// What a part may allocate: its own bytes, and its workers and recipients in memory, in lists whose capacity grows by
// doubling.
constexpr uint64_t kPerInputByte = 128;
constexpr uint64_t kPerPart = 2048;

// "w1" owns "a", with something in flight, and "b", with something to deliver; "w2" is leaving and
// owns "c", with something routed; "w3" has never shown that it is alive.
Pool working_pool() {
  Pool pool{HashKey{}};
  const ByteView payloads[] = {"p", "q"};
  for (const ByteView name : {"w1", "w2"}) pool.join(name);
  REQUIRE(pool.push("a", payloads, {}) && pool.route("c") && pool.push("b", payloads, {}));
  Pool::PulledPayload pulled;
  REQUIRE(pool.deliver(*pool.find_worker("w1"), pulled));
  for (const ByteView name : {"w1", "w2"}) pool.touch(*pool.find_worker(name));
  pool.join("w3");
  pool.leave(*pool.find_worker("w2"), false);
  pool.tick(PoolTime(10));
  return pool;
}

// False at the end of the input.
bool restore_next(Pool& pool, Decoder& parts) {
  const uint64_t kind = parts.number();
  const ByteView part = parts.bytes(parts.number());
  const ByteView block = parts.bytes(parts.number());
  if (!parts.ok()) return false;
  const std::string saved = millrace::testing::pool_to_bytes(pool);
  const uint64_t before = fuzz::allocated_bytes();
  const auto restored =
      restore_part(pool, static_cast<PoolPart>(kind % std::size(kPoolParts)), part, Buffer::copy_of(block));
  REQUIRE(fuzz::allocated_bytes() - before <= kPerPart + kPerInputByte * (part.size() + block.size()));
  REQUIRE(pool.check() == nullptr);
  if (!restored) {
    REQUIRE(restored.error().code == ErrorCode::Corrupt && !restored.error().text.empty());
    REQUIRE(millrace::testing::pool_to_bytes(pool) == saved);
  }
  return true;
}

void require_comes_back(const Pool& pool) {
  const std::string saved = millrace::testing::pool_to_bytes(pool);
  const auto again = millrace::testing::pool_from_bytes(saved, HashKey{1});
  REQUIRE(again.has_value());
  REQUIRE(again->check() == nullptr);
  REQUIRE(millrace::testing::pool_to_bytes(*again) == saved);
}

void settle_all(Pool& pool) {
  // A slice is far larger than what an input can contain.
  for (int times = 0; pool.next_settle() == pool.now(); ++times) {
    REQUIRE(times < 3);
    pool.settle();
    REQUIRE(pool.check() == nullptr);
  }
}

uint64_t pending_of(const Pool& pool) {
  uint64_t pending = 0;
  pool.recipients().each([&](const Recipient& recipient) { pending += recipient.pending(); });
  return pending;
}

// Moves its time to a moment at which nothing is delayed.
void end_delays(Pool& pool) {
  PoolTime last = pool.now();
  pool.recipients().each([&](const Recipient& recipient) {
    if (recipient.queue && recipient.queue->is_delayed()) {
      last = std::max(last, recipient.queue->trouble->delayed_until);
    }
  });
  pool.tick(last);
}

// The worker takes everything that it can get, and finishes it.
void empty(Pool& pool, WorkerId worker) {
  Pool::PulledPayload pulled;
  // A forged sequence number may be the largest possible, so only existing payloads are acknowledged.
  while (pool.deliver(worker, pulled)) {
    const std::string recipient(pulled.recipient);
    const auto acknowledged = pool.acknowledge(worker, recipient, pulled.sequence);
    REQUIRE(acknowledged && *acknowledged >= 1);
  }
  REQUIRE(pool.check() == nullptr);
  std::vector<std::pair<std::string, uint64_t>> routed;
  pool.each_recipient(worker, 0, UINT64_MAX, [&](const Recipient& recipient) {
    if (recipient.routed != 0) routed.emplace_back(recipient.name(), recipient.routed);
  });
  for (const auto& [name, count] : routed) REQUIRE(pool.done(worker, name, count) == uint64_t{0});
  REQUIRE(pool.check() == nullptr);
}

// Messages come, all workers but one become stale, and that one does all the work.
void go_on(Pool& pool) {
  const WorkerId living = pool.join("fuzz");
  REQUIRE(pool.check() == nullptr);
  const ByteView payloads[] = {"x", "y"};
  for (const ByteView name : {"a", "b", "c", "new"}) {
    static_cast<void>(pool.route(name));  // it may be full
    static_cast<void>(pool.push(name, payloads, {.bytes = 64, .messages = 2}));
    REQUIRE(pool.check() == nullptr);
  }
  pool.rebalance(3);
  REQUIRE(pool.check() == nullptr);
  settle_all(pool);
  const uint64_t pending = pending_of(pool);
  const uint64_t dead = pool.counters().dead;
  for (WorkerId id : std::vector(pool.working())) {
    if (id != living) pool.leave(id, id.value() % 2 == 0);
    REQUIRE(pool.check() == nullptr);
  }
  for (WorkerId id : std::vector(pool.going())) pool.leave(id, true);
  pool.tick(pool.now() + pool.settings().stale_ms + 1);
  end_delays(pool);
  pool.touch(living);
  settle_all(pool);
  REQUIRE(pool.working().size() == 1 && pool.going().empty());
  REQUIRE(pool.worker(living).recipients == pool.recipients().size());
  // Payloads that came back too often were given up meanwhile.
  REQUIRE(pool.worker(living).pending + (pool.counters().dead - dead) == pending);
  empty(pool, living);
  REQUIRE(pool.worker(living).pending == 0);
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  for (const bool is_new : {true, false}) {
    Pool pool = is_new ? Pool(HashKey{}) : working_pool();
    Decoder parts({reinterpret_cast<const char*>(bytes), size});
    // A bounded number, because everything is checked after each one.
    for (int i = 0; i < 30 && !parts.finished() && restore_next(pool, parts);) ++i;
    require_comes_back(pool);
    go_on(pool);
  }
  return 0;
}
