// Which server decides. A master decides what time it is and what is too old. A replica, and every server while it
// loads its AOF, only repeats what was decided.
#pragma once

#include "engine/base/error.h"
#include "module/abi/context.h"

namespace millrace::module {

// Updated by the host's events, because asking the host costs more than a whole TWRITE.
inline constinit bool may_decide = true;

// True if may_decide, and no slots are being imported: then no command that arrives can be an effect. See
// imported_slots.h.
inline constinit bool every_call_decides = true;

// How many times this server has begun to decide. Values remembered from an earlier period are no longer valid, because
// another server may have decided in between.
inline constinit uint64_t deciding_period = 0;

// True if this call decides: every call on a master that does not come from the node whose slots it imports, and calls
// of a writable replica's own clients.
inline bool decides(abi::Context context) {
  if (every_call_decides) [[likely]] {
    return true;
  }
  return !context.is_effect();
}

// For a command that the host allows when memory is full, because most of its uses need no memory. Effects from a
// master are applied in any case.
inline Result<void> may_grow(abi::Context context) {
  if (!decides(context) || !context.is_out_of_memory()) return {};
  return fail(ErrorCode::NoMemory, "command not allowed when used memory > 'maxmemory'.");
}

}  // namespace millrace::module
