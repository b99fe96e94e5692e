// Readers that wait for their group: one line for each group of each key, first come,
// first served. Who was served and comes again stands at the end. A line is served until
// there is nothing left to deliver, so a write wakes no more clients than it can serve,
// and costs the same whether ten or ten thousand wait.
#pragma once

#include "engine/log/log.h"
#include "module/abi/context.h"
#include "module/commands/log/log_requests.h"
#include "module/host/database_key.h"

namespace millrace::module {

// The client waits until its group has something for it.
void wait_for_delivery(abi::Context context, abi::StringRef key, const ReadRequest& request);

bool group_readers_wait();
bool group_readers_wait_for(const DatabaseKey& place);
// Every key that has a line.
std::vector<DatabaseKey> keys_with_group_readers();

// Serves all lines of the key as far as the log has something for them.
void serve_group_readers(abi::Context context, const DatabaseKey& place, abi::StringRef key, Log& log);

// The group is gone: those who wait for it are told.
void dismiss_group_readers(const DatabaseKey& place, ByteView group);

}  // namespace millrace::module
