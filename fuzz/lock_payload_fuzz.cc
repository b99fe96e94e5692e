// Locks from untrusted bytes, as RESTORE and LOCK.APPLY bring them: a history of changes to a lock. Whatever is
// accepted leaves a valid lock, which can be saved and loaded, and works like any other; what is refused changes
// nothing.
//
//   input := (length bytes)*      lengths are varints
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/lock/lock_codec.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"

namespace millrace {
namespace {

// What changes may allocate: a list of them whose capacity grows by doubling, an equal list by owner, and the holders
// that they make.
constexpr uint64_t kPerInputByte = 200;
constexpr uint64_t kAtAll = 16 * 1024;

constexpr Now kNow{
    .wall = UnixMs(1'000'000), .monotonic = MonotonicMs(5000), .clock_id = 7, .served = {}, .served_period = 0};

std::vector<std::string> saved(const Lock& lock) { return encode_lock(lock, kNow.clock_id); }

void apply(Lock& lock, ByteView changes) {
  const std::vector<std::string> before = saved(lock);
  const Token greatest_before(3);
  Token greatest = greatest_before;
  const uint64_t allocated = fuzz::allocated_bytes();
  const auto applied = apply_changes(lock, changes, kNow, Token(1'000'000), greatest);
  REQUIRE(fuzz::allocated_bytes() - allocated <= kAtAll + kPerInputByte * changes.size());
  REQUIRE(lock.check() == nullptr);
  if (!applied) {
    REQUIRE(applied.error().code == ErrorCode::Corrupt);
    REQUIRE(saved(lock) == before && greatest == greatest_before);
    return;
  }
  REQUIRE(greatest <= Token(1'000'000));
  lock.each_holder([](const LockHolder& holder) {
    REQUIRE(holder.holding.lease.left(kNow.monotonic) <= holder.holding.lease.ttl_ms);
    return true;
  });
}

void load_again(const Lock& lock) {
  Lock again;
  Token greatest;
  for (const std::string& part : saved(lock)) REQUIRE(apply_changes(again, part, kNow, kMaxToken, greatest));
  REQUIRE(again.check() == nullptr);
  REQUIRE(saved(again) == saved(lock));
  REQUIRE(saved(lock.clone()) == saved(lock));
}

void go_on(Lock& lock) {
  for (const uint64_t now : {uint64_t{5000}, uint64_t{5001}, uint64_t{9000}, uint64_t{1} << 60}) {
    for (const std::string& owner : lock.over(MonotonicMs(now), 1000)) REQUIRE(lock.remove(owner));
    REQUIRE(lock.check() == nullptr);
    for (const LockMode mode : {LockMode::exclusive(), LockMode::shared(), LockMode::limit(3)}) {
      REQUIRE(!lock.has_room_for(mode) || lock.ms_until_room(mode, MonotonicMs(now)) == 0);
      const auto admission = lock.admit("fuzz", mode, false);
      if (admission != Lock::Admission::Fresh && admission != Lock::Admission::Again) continue;
      lock.grant("fuzz", mode, Lease::from(kNow, 50), Token(2'000'000));
      REQUIRE(lock.check() == nullptr);
    }
  }
  while (!lock.is_free()) REQUIRE(lock.remove(std::string(lock.first_to_end().owner())));
  REQUIRE(lock.check() == nullptr && lock.memory() == Lock().memory());
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  Lock lock;
  Decoder in({reinterpret_cast<const char*>(bytes), size});
  // A bounded number, because everything is checked after each one.
  for (int i = 0; i < 30 && !in.finished(); ++i) {
    const ByteView changes = in.bytes(in.number());
    if (!in.ok()) break;
    apply(lock, changes);
  }
  load_again(lock);
  go_on(lock);
  return 0;
}
