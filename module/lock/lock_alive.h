// Grants that must be taken up: a client that waited with ALIVE and was granted the lock must send a command, any
// command, within that time. Else the lock is passed on, as if the client had left.
#pragma once

#include <cstdint>

#include "engine/base/strong.h"
#include "engine/lock/lock_requests.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

// The client is looked at when the time is over, and when its connection ends: one that has sent a command by then has
// taken the lock up.
void expect_sign_of_life(const DatabaseKey& key, LostGrant grant, uint64_t client, uint64_t alive_ms);

// The client has sent LOCK.ACQUIRE: whatever it was granted before, it has taken up. Other commands need not be told;
// the host knows the last one of each client. Or it left before it was told of its grant, which is taken back already.
void expect_no_sign_of_life(uint64_t client);

// Whether expect_no_sign_of_life() must be called for a client that sends LOCK.ACQUIRE.
bool are_signs_of_life_expected();

}  // namespace millrace::module
