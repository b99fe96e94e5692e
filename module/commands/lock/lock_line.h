// Clients that wait for a lock: one line for each key, first come, first served. The one at
// the front is served as soon as the lock admits it, and nobody behind it before that; so a
// writer is not starved by readers. Nobody is woken who does not get the lock, or the answer
// that its time is over.
//
// Waits end on the monotonic clock, like leases.
#pragma once

#include "module/abi/context.h"
#include "module/commands/lock/lock_requests.h"
#include "module/commands/lock/lock_visit.h"
#include "module/host/family.h"

namespace millrace::module {

// The client waits for the lock. REQUIRES: !context.must_answer_at_once()
void wait_for_lock(abi::Context context, abi::StringRef name, const AcquireRequest& request);

// True if somebody stands in line for it.
bool anybody_waits_for_lock(const LockVisit& visit);

// Hands the lock on to those at the front of its line whom it admits: what every visit
// does once there may be room.
void pass_on(LockVisit& visit);

// One that waits, for those who ask.
struct Waiter {
  ByteView owner;
  LockMode mode;
  uint64_t waited_ms;
  uint64_t arrival;  // of all who ever waited on this server the so manieth
};
// In the order of the line; at most `most`. The views are good until somebody comes or goes.
std::vector<Waiter> waiters_for_lock(const DatabaseKey& place, size_t most);
size_t count_waiters_for_lock(const DatabaseKey& place);

// What the module needs to know: Family::waiters and Family::look_after.
extern const Waiters kLockWaiters;
std::optional<UnixMs> look_after_lock(abi::Context context, abi::StringRef name, UnixMs now);

}  // namespace millrace::module
