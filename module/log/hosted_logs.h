// Writing to a log that is not the key of the running command: dead letters of groups and pools, and dispatches.
#pragma once

#include "engine/log/other_logs.h"
#include "module/abi/context.h"

namespace millrace::module {

// The logs of this server, for a group's dead letters.
OtherLogs& hosted_logs();

// True if the log `to` is on another node, or in another slot than the key `from`.
bool is_log_elsewhere(abi::Context context, ByteView from, abi::StringRef to);
// Whether the user may write to a log of this name, and it is in the slot of the key `from`; `both` names them in an
// error. Failure: Range, NoRights.
Result<void> may_reach_log(abi::Context context, const char* both, ByteView from, ByteView to);
// Whether letters of the key `from` may go to the log `to`. Failure: also WrongType.
Result<void> may_write_other_log(abi::Context context, const char* both, ByteView from, ByteView to);
// Writes one dead letter. If that is not possible now, logs it and returns false.
bool write_other_log(abi::Context context, ByteView from, ByteView to, const WriteRequest& request);

// Writes, with all consequences of a write; clients that wait for the log are served when the command is over. Failure:
// WrongType, Full; nothing is written then.
Result<Offset> write_to_log(abi::Context context, abi::StringRef name, const WriteRequest& request);

}  // namespace millrace::module
