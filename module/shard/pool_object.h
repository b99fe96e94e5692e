// The worker pool as the runtime knows it.
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

// This server's. Its limits follow the settings.
PoolOperations& pool_operations();

template <>
struct ObjectTraits<Pool> {
  static constexpr const char* kApply = kApplyToPool;
  static constexpr bool kWaits = true;
  // A worker that waits is told that its pool has gone: it must join another one. Senders wait until there is one.
  static constexpr bool kOtherTypeIsMissing = true;
  static constexpr bool kToldWhenGone = true;
  // Of ten thousand senders that wait for the first worker the others follow.
  static constexpr size_t kServedPerTurn = 250;

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
