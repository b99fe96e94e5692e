// Keys whose waiting clients must be looked at as soon as the running command or
// transaction is over: what a transaction wrote becomes visible all at once, and RENAME,
// RESTORE or SWAPDB put something under a name without any command of ours.
#pragma once

#include "module/abi/context.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

// Owes an answer to whoever waits for this key; nothing if nobody does.
void wake_later(const DatabaseKey& place);

// Answers whoever is owed an answer by a transaction that is over. Every command of
// ours begins with it, and every turn of the event loop ends with it.
void wake_deferred(abi::Context context);
// The same for those whose answer needs no effect, where nothing may be replicated: Redis
// 7.0 never sends on what is replicated while it says that a key is ready.
void wake_deferred_readers(abi::Context context);

// The value that was here has gone: those who wait for it forget what they have seen.
void start_waiters_afresh(int database, ByteView name);
// Both, for every key: whatever they held is something else now.
void wake_all_afresh();

}  // namespace millrace::module
