// Which server decides. A master decides what time it is and what is too old; a replica, and
// every server while it loads its AOF, only repeats what was decided.
#pragma once

#include "engine/base/error.h"
#include "module/abi/context.h"

namespace millrace::module {

// Kept up to date by the host's events, because asking the host costs more than a
// whole TWRITE.
inline constinit bool may_decide = true;

// How many times it has begun to decide: what is remembered from an earlier time, when
// another server may have decided in between, counts no more.
inline constinit uint64_t deciding_period = 0;

// True if this very call decides: any on a master, and on a writable replica those of
// its own clients.
inline bool decides(abi::Context context) {
  if (may_decide) [[likely]] {
    return true;
  }
  return !context.is_effect();
}

// For a command that the host lets through when memory is full, because most of what it does takes none. What was
// decided elsewhere is repeated all the same.
inline Result<void> may_grow(abi::Context context) {
  if (!decides(context) || !context.is_out_of_memory()) return {};
  return fail(ErrorCode::NoMemory, "command not allowed when used memory > 'maxmemory'.");
}

}  // namespace millrace::module
