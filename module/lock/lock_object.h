// How the runtime handles keys with a lock.
#pragma once

#include "engine/lock/lock_effects.h"
#include "engine/lock/lock_operations.h"
#include "module/abi/clock.h"
#include "module/abi/context.h"
#include "module/lock/lock_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// The operations object of this server.
LockOperations& lock_operations();

template <>
struct ObjectTraits<Lock> {
  static constexpr const char* kApply = kLockApply;
  static constexpr bool kWaits = true;
  // A key of another type is not a free lock: requests continue to wait.
  static constexpr bool kOtherTypeIsMissing = false;
  // When a lock is removed, it is free, so waiting clients must be served.
  static constexpr bool kToldWhenGone = true;
  static constexpr bool kWaitsEndByDeadline = true;
  // Inside a transaction, too, no client overtakes the line.
  static constexpr bool kServedInTransactions = true;
  // If ten thousand readers wait for one writer, this many are served at once, and the others in later turns.
  static constexpr size_t kServedPerTurn = 1000;
  static constexpr bool kKeyIsHandedOn = true;

  static Now now() {
    Now now = monotonic_alone();
    now.wall = abi::now();
    return now;
  }
  static Now monotonic_alone() {
    return {.wall = {},
            .monotonic = abi::monotonic_now(),
            .clock_id = abi::monotonic_clock_identity(),
            .served = {},
            .served_period = 0};
  }
  // The date on which the first lease is over.
  static std::optional<MonotonicMs> first_date(const Lock& lock) { return lock.first_to_end().holding.lease.end + 1; }
  static Wake wake_all(const Lock* lock) {
    Wake wake = Wake::one_line(kLockLine);
    // Clients that watch the lock may have missed a holder. If there is a single holder, its token decides which
    // clients are woken.
    if (lock != nullptr) wake.mark = lock->holding() == 1 ? lock->first_to_end().holding.token.value() : UINT64_MAX;
    return wake;
  }
};

}  // namespace millrace::module
