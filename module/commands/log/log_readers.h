// Readers that wait, without a group, and when all who wait are served.
//
// The line of those who wait is our own. A write looks only at readers whose offset it
// has reached, so ten thousand that wait for something far ahead cost it nothing; who
// came first is answered first.
#pragma once

#include "engine/log/log.h"
#include "module/abi/context.h"
#include "module/commands/log/log_requests.h"
#include "module/host/family.h"

namespace millrace::module {

// The client waits until a message at `from` or behind it exists.
void wait_for_messages(abi::Context context, abi::StringRef key, Offset from, const ReadRequest& request);

// To be called whenever there may be something for those who wait, with a group or
// without: answers them, at once, or, inside a transaction, when it is over.
void serve_readers(abi::Context context, abi::StringRef key, Log& log);

// Readers with a group and without, as the module serves them.
extern const Waiters kLogWaiters;

}  // namespace millrace::module
