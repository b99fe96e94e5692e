// Grants that must be confirmed: a client that waited with ALIVE and was granted the lock must send a command, any
// command, within that time and before its connection ends. Otherwise the lock goes to the next client.
#pragma once

#include <cstdint>

#include "engine/base/strong.h"
#include "engine/lock/lock_requests.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

// The client is checked when the time is over or its connection ends, whichever comes first: if it has sent a command
// by then, it has confirmed the grant.
void expect_sign_of_life(const DatabaseKey& key, LostGrant grant, uint64_t client, uint64_t alive_ms);

// Called when the client sends LOCK.ACQUIRE: it has confirmed earlier grants. Other commands need no call; the host
// knows the last one of each client. Also called when the client disconnected before it got the answer, and the grant
// was already taken back.
void expect_no_sign_of_life(uint64_t client);

// Whether expect_no_sign_of_life() must be called for a client that sends LOCK.ACQUIRE.
bool are_signs_of_life_expected();

}  // namespace millrace::module
