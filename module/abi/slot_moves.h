// Slots of a cluster that move to another node as a whole: CLUSTER MIGRATION of Redis 8.4, CLUSTER MIGRATESLOTS of
// Valkey 9. The target gets a copy of the keys and then what is replicated, and serves the slots from one moment on;
// then the source deletes its keys. The listener is told of imports (registration.h).
#pragma once

#include "module/abi/host.h"

namespace millrace::abi {

// Called once, when the module is loaded: an import may have begun before the first object of ours. False if the host
// refuses.
bool watch_slot_moves(HostContext* loading);

}  // namespace millrace::abi
