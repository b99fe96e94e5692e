// The commands that only read locks.
#pragma once

#include <vector>

#include "module/lock/lock_changes.h"
#include "module/lock/lock_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct LockInfo {
  using Object = Lock;
  static constexpr auto parse = parse_lock_info;
  static void show(abi::Reply reply, const Shown<Lock>& shown, const LockListRequest& request);
};

// LOCK.WAITS has no key.
void lock_waits(abi::Context context, abi::Arguments arguments);

// A client that waits for a lock.
struct WaitingOwner {
  ByteView owner;
  LockMode mode;
  uint64_t waited_ms;
  uint64_t arrival;  // arrival number, increasing per server
};
// In the order of the line, at most `most`. The views are valid until the line changes.
std::vector<WaitingOwner> waiting_owners(const DatabaseKey& key, size_t most, MonotonicMs now);

}  // namespace millrace::module
