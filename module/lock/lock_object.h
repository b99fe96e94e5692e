// The lock as the runtime knows it.
#pragma once

#include "engine/lock/lock_effects.h"
#include "engine/lock/lock_operations.h"
#include "module/abi/clock.h"
#include "module/abi/context.h"
#include "module/lock/lock_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// This server's.
LockOperations& lock_operations();

template <>
struct ObjectTraits<Lock> {
  static constexpr const char* kApply = kLockApply;
  static constexpr bool kWaits = true;
  // A key of another type is no free lock: its requests wait on.
  static constexpr bool kOtherTypeIsMissing = false;
  // A lock that goes is free.
  static constexpr bool kToldWhenGone = true;
  static constexpr bool kWaitsEndByDeadline = true;
  // Inside a transaction, too, nobody overtakes the line.
  static constexpr bool kServedInTransactions = true;
  // Of ten thousand readers behind one writer the others follow.
  static constexpr size_t kServedPerTurn = 1000;
  static constexpr bool kKeyIsHandedOn = true;

  static Now now() {
    return {.wall = abi::now(),
            .monotonic = abi::monotonic_now(),
            .clock_id = abi::monotonic_clock_identity(),
            .served = {},
            .served_period = 0};
  }
  // When its first lease is over.
  static std::optional<MonotonicMs> first_date(const Lock& lock) { return lock.first_to_end().holding.lease.end + 1; }
  static Wake wake_all(const Lock* lock) {
    Wake wake = Wake::one_line(kLockLine);
    // Clients that watch it may have missed a holder. The token of a single holder says which.
    if (lock != nullptr) wake.mark = lock->holding() == 1 ? lock->first_to_end().holding.token.value() : UINT64_MAX;
    return wake;
  }
};

}  // namespace millrace::module
