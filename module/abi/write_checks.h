// The host's checks before a write, for a command that writes only with some arguments. Which checks the host makes
// depends on the flags of a command's name alone, so such a command asks for them itself.
#pragma once

#include "engine/base/error.h"
#include "module/abi/context.h"

namespace millrace::abi {

// Checks what the host checks before it runs `command`, one of our write commands, on this key for the client of this
// call: the user's rights, whether the disk and enough replicas take part, the role of this server, and in a cluster
// the owner of the slot. The error is the one that the client would get. Costs a call of the host.
// REQUIRES: `command` has a callback made by checkable(), at most four words as its arity, and its key as the first
// argument.
Result<void> may_run_write(Context context, const char* command, StringRef key);

namespace detail {
// Ends the call that only checks; false: this is another call.
bool take_check(HostContext* context);
}  // namespace detail

// The callback of a command that may_run_write() names.
template <CommandCallback callback>
int checkable(HostContext* context, HostString** strings, int count) {
  return detail::take_check(context) ? kOk : callback(context, strings, count);
}

}  // namespace millrace::abi
