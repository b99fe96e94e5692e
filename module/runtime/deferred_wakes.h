// Keys whose waiting clients must be looked at as soon as the running command or
// transaction is over: what a transaction wrote becomes visible all at once, and RENAME,
// RESTORE or SWAPDB put something under a name without any command of ours.
#pragma once

#include <set>

#include "module/abi/context.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

namespace detail {

inline std::set<DatabaseKey> deferred;
void wake_all_deferred(abi::Context context);

}  // namespace detail

// Clients that wait for this key are looked at later; nothing if there are none.
void wake_later(const DatabaseKey& place);

// The same in the next turn of the event loop, which comes soon, and not before: for a request that has done as much as
// it may at once, and for more clients than are served at once.
void wake_soon(const DatabaseKey& place);

// Looks at them, if no transaction is running. Every command of ours begins with it, and every turn of the event loop
// ends with it.
inline void wake_deferred(abi::Context context) {
  if (!detail::deferred.empty()) [[unlikely]] {
    detail::wake_all_deferred(context);
  }
}
// The same where nothing may be replicated, for clients whose answer needs no effect: Redis 7.0 never sends on what is
// replicated while it says that a key is ready.
void wake_deferred_readers(abi::Context context);

// The value of the key has gone: clients that wait for it start from the beginning of the next one.
void start_waiters_afresh(int database, ByteView name);
// Both for every key, when all of them may hold something else.
void wake_all_afresh();

}  // namespace millrace::module
