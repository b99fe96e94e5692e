// Where given-up messages go: another log, with a tag that says where each came from.
#pragma once

#include "engine/log/log.h"
#include "module/abi/context.h"

namespace millrace::module {

// Writes the messages to the group's dead letters, if it has any set. False, and nothing
// written, if that key holds something that is not a log or is on another node.
bool write_dead_letters(abi::Context context, abi::StringRef key, const Log& log, ByteView group_name,
                        const Group& group, const GivingUp& giving_up);

}  // namespace millrace::module
