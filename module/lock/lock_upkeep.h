// Work on locks that no command asks for: leases and waits end, and grants are taken back if the client never got the
// answer.
#pragma once

#include <optional>

#include "engine/lock/lock_requests.h"
#include "module/abi/context.h"
#include "module/runtime/family.h"

namespace millrace::module {

// For the module's table of families: Family::look_after and Family::waiters.
void look_after_lock(abi::Context context, abi::StringRef name);
const Waiters* lock_waiters();

// The grant is taken back when effects may be replicated again, before anything else is done to the lock.
void take_back_soon(const DatabaseKey& key, LostGrant grant);

}  // namespace millrace::module
