// Slots of a cluster that move to another node as a whole: CLUSTER MIGRATION of Redis 8.4, CLUSTER MIGRATESLOTS of
// Valkey 9. The target gets a copy of the keys and then what is replicated, and serves the slots from one moment on;
// then the source deletes its keys. The listener is told of imports (registration.h).
#pragma once

#include "module/abi/host.h"

namespace millrace::abi {

// Called once, when the module is loaded. False if the host refuses.
bool watch_slot_moves(HostContext* loading);

// From now on, the host deletes the keys of a slot that has left one by one, so that Listener::key_left is called for
// each of ours. (Without this, Redis takes them out of the database in one step and frees them on another thread.)
// Called for each object that is made or loaded: as long as there is none, the host may use its faster way.
void watch_trimming();

}  // namespace millrace::abi
