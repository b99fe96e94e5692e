// Messages on their way to a group's readers: delivered, delivered again, given up.
#pragma once

#include "engine/log/log.h"
#include "module/abi/context.h"
#include "module/commands/log/log_requests.h"

namespace millrace::module {

// Reads for a group, which is made if it is new: gives up what must be given up, then
// delivers what is due and what is fresh. Replicas and the AOF are told what happened.
// An empty delivery means that there is nothing to read.
Delivery deliver(abi::Context context, abi::StringRef key, Log& log, const GroupRead& read, uint64_t count);

// Gives up, in every group, what has expired or is due after its last attempt, and
// writes it to the group's dead letters. At most kRangesPerTurn ranges for each group:
// what is left is still due.
inline constexpr size_t kRangesPerTurn = 100;
void give_up_due_messages(abi::Context context, abi::StringRef key, Log& log, UnixMs now);

}  // namespace millrace::module
