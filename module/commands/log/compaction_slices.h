// Compaction of logs (TRETAIN … LATEST yes) as the server does it: a slice of time now and
// then, outside of commands. Which messages go is told to replicas and the AOF.
#pragma once

#include "engine/log/log.h"
#include "module/abi/context.h"

namespace millrace::module {

// When the log's next slice should be: soon, if a third of it has a newer message or it is
// not known yet how much, else when a few more writes may have come together.
// REQUIRES: log.wants_compaction()
UnixMs next_compaction(const Log& log, UnixMs now);

// Works for about half a millisecond, unless another log has only just had its turn.
void compact_slice(abi::Context context, abi::StringRef name, Log& log);

}  // namespace millrace::module
