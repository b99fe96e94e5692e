// Keys whose waiting clients must be looked at as soon as the running command or transaction is over. The writes of a
// transaction become visible all at once, and RENAME, RESTORE or SWAPDB change keys without any command of ours.
#pragma once

#include <cstdint>
#include <set>

#include "module/abi/context.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

// How many clients wait for keys, of all families. Most servers have none at most times.
inline constinit uint64_t waiting_clients = 0;

namespace detail {

inline std::set<DatabaseKey> deferred;
void wake_all_deferred(abi::Context context);

}  // namespace detail

// Clients that wait for this key are looked at later. Does nothing if there are none.
void wake_later(const DatabaseKey& place);

// The same, but in the next turn of the event loop and not before: for a request that has used up its budget for one
// turn, and for more clients than are served in one turn.
void wake_soon(const DatabaseKey& place);

// Looks at these clients, if no transaction is running. Called at the beginning of every command of ours and at the end
// of every turn of the event loop.
inline void wake_deferred(abi::Context context) {
  if (!detail::deferred.empty()) [[unlikely]] {
    detail::wake_all_deferred(context);
  }
}
// The same where nothing may be replicated, for clients whose answer needs no effect: Redis 7.0 drops what is
// replicated during its callback for a ready key.
void wake_deferred_readers(abi::Context context);

// The value of the key was removed: clients that wait for it start from the beginning of the next one.
void start_waiters_afresh(int database, ByteView name);
// All clients that wait for keys are looked at later.
void wake_all();
// Both for every key, when all of them may have other values.
void wake_all_afresh();

}  // namespace millrace::module
