// What LOCK.ACQUIRE answers, at once or after a wait.
#pragma once

#include "engine/lock/lock.h"
#include "module/abi/context.h"
#include "module/host/database_key.h"

namespace millrace::module {

// [1, token, ttl, holds]
void write_granted(abi::Reply reply, const Holding& holding);

// [0, 0, milliseconds until it may be free, 0]
void write_refused(abi::Reply reply, const Lock& lock, LockMode mode, MonotonicMs now);
// The same for whatever the key holds by now.
void write_refused(abi::Reply reply, const DatabaseKey& place, LockMode mode);

// exclusive, shared or limit
ByteView mode_name(LockMode mode);

}  // namespace millrace::module
