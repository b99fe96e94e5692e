// What follows from every change of a log: evicted memory is given back, dates are kept,
// and whoever waits is served. Commands end with these; the agenda calls look_after_log.
#pragma once

#include <optional>

#include "engine/log/log.h"
#include "module/abi/context.h"

namespace millrace::module {

// Moves the log's clock to the present. The date of messages is an effect: replicas and
// the AOF are told it when the clock moves, once a millisecond at most, and stamp with
// that clock. So the writes themselves pass on as they came.
void move_clock(abi::Context context, abi::StringRef name, Log& log);

// Counts what a log has evicted and frees it in slices, with what all groups have finished with then, if the log is to
// keep no more. To be called after whatever may have evicted, with the number that says.
void settle_evicted(Log& log, uint64_t evicted);

// A group has moved on: what all have finished with goes, if the log is to keep no more.
void settle_groups(Log& log);

// Puts the log on the agenda if it has a date to keep. Looks at every group.
void keep_dates(abi::Context context, abi::StringRef name, Log& log);
// The same when only one group has changed: costs the same however many there are.
void keep_dates_of_group(abi::Context context, abi::StringRef name, Log& log, ByteView group);

// Puts the log on the agenda if there is something to compact. O(1)
void keep_compaction_going(abi::Context context, abi::StringRef name, Log& log);

// Sees to it that its full blocks are packed once they are cold.
void keep_packed(abi::Context context, abi::StringRef name, Log& log);

// What must be seen to after whatever has appended: age, compaction, packing.
void keep_appended(abi::Context context, abi::StringRef name, Log& log);

// Does what a log's dates demand: the agenda's part.
std::optional<UnixMs> look_after_log(abi::Context context, abi::StringRef key, UnixMs now);

}  // namespace millrace::module
