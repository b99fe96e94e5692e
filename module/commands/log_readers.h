// Readers that wait, without a group, and when all who wait are served.
//
// The line of those who wait is our own. A write looks only at readers whose offset it
// has reached, so ten thousand that wait for something far ahead cost it nothing; who
// came first is answered first.
#pragma once

#include "engine/log/log.h"
#include "module/abi/context.h"
#include "module/commands/log_requests.h"
#include "module/host/database_key.h"

namespace millrace::module {

// The client waits until a message at `from` or behind it exists.
void wait_for_messages(abi::Context context, abi::StringRef key, Offset from, const ReadRequest& request);

// To be called whenever there may be something for those who wait, with a group or
// without: answers them, at once, or, inside a transaction, when it is over.
void serve_readers(abi::Context context, abi::StringRef key, Log& log);
// The same for keys that got their content in another way (RENAME, RESTORE, SWAPDB, …):
// looks at them as soon as the running command is over.
void serve_readers_soon(const DatabaseKey& key);

// The log that was here has gone: those who wait forget what they have seen of it, for
// the next one under its name begins anew.
void start_readers_afresh(int database, ByteView key);
// Both, for every key: whatever they held is something else now.
void serve_all_readers_afresh();

// Answers whoever is owed an answer by a transaction that is over. Every command of
// ours begins with it, and every turn of the event loop ends with it.
void serve_owed_readers(abi::Context context);
// The same for readers without a group only, where nothing may be replicated: Redis 7.0
// never sends on what is replicated while it says that a key is ready.
void serve_owed_lone_readers(abi::Context context);

}  // namespace millrace::module
