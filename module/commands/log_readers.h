// Reading: how messages are written to a client, now or, for those that wait, when the
// message they wait for has come.
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

// --- writing messages ---
// One message; `attempts` 0 leaves them out.
void write_message(abi::Reply& reply, const Message& message, uint32_t attempts);
// [first, last] of a log that may be missing.
void write_info(abi::Reply& reply, const Log* log);
// The answer of a read that waited in vain: null, or with WITHINFO the information alone.
void write_nothing_came(abi::Reply reply, const DatabaseKey& place, bool with_info);

// True if the request can be answered from this log (or from none) without waiting.
// `from` is the request's start in it.
bool has_something_to_read(const Log* log, Offset from, const ReadRequest& request);

// Answers the request from the log; a missing one is empty.
void write_messages(abi::Reply reply, const Log* log, Offset from, const ReadRequest& request);

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
// ours begins with it: nobody gets between a write and those who waited for it.
void serve_owed_readers(abi::Context context);
// The same for readers without a group only, where nothing may be replicated: Redis 7.0
// never sends on what is replicated while it says that a key is ready.
void serve_owed_lone_readers(abi::Context context);

}  // namespace millrace::module
