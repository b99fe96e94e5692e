// Writing to a log that is not the key of the running command: a group's dead letters, and dispatches.
#pragma once

#include "engine/log/other_logs.h"
#include "module/abi/context.h"

namespace millrace::module {

// The logs of this server, for a group's dead letters.
OtherLogs& hosted_logs();

// Writes, and does what follows; clients that wait for the log are served when the command is over. Failure: WrongType,
// Full; nothing is written then.
Result<Offset> write_to_log(abi::Context context, abi::StringRef name, const WriteRequest& request);

}  // namespace millrace::module
