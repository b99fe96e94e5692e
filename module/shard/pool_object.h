// How the runtime handles keys with a worker pool.
#pragma once

#include "engine/shard/pool_operations.h"
#include "module/abi/clock.h"
#include "module/abi/context.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/role.h"
#include "module/runtime/service_time.h"
#include "module/shard/pool_type.h"

namespace millrace::module {

// The operations object of this server. Its limits follow the settings.
PoolOperations& pool_operations();

template <>
struct ObjectTraits<Pool> {
  static constexpr const char* kApply = kApplyToPool;
  static constexpr bool kWaits = true;
  // A waiting worker gets an answer when its pool is removed, because it must join a new one. Senders wait until there
  // is a new one.
  static constexpr bool kOtherTypeIsMissing = true;
  static constexpr bool kToldWhenGone = true;
  // If ten thousand senders wait for the first worker, this many are served at once, and the others in later turns.
  static constexpr size_t kServedPerTurn = 120;

  static Now now() {
    const MonotonicMs monotonic = abi::monotonic_now();
    return {.wall = {},
            .monotonic = monotonic,
            .clock_id = 0,
            .served = service_time(monotonic),
            .served_period = deciding_period};
  }
  static void settle(KeyPlace<Pool>& place, const Consequences&) {
    if (place.get()->has_evicted()) reclaim(place.get()->take_evicted());
  }
  static Consequences look_after(KeyPlace<Pool>& place, const Call& call);
  static std::optional<MonotonicMs> first_date(const Pool&) { return abi::monotonic_now(); }
  static Wake wake_all(const Pool*) { return Wake::all_lines(); }
};

}  // namespace millrace::module
