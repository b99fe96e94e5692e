// What must be done to a key at a date although nobody calls: a log with an age limit
// loses its oldest messages then. One timer serves all keys, set for the earliest date,
// and none runs while there is nothing on the agenda.
//
// An entry is a hint: when it falls due the key is opened by its name, and whatever is
// there now is looked after. So a key that has gone costs nothing, and one that has
// appeared under a name (RENAME, RESTORE, …) must be put on again.
//
// Only a server that decides works on its agenda; a replica keeps it for the day it is
// promoted.
#pragma once

#include "engine/base/strong.h"
#include "module/abi/context.h"
#include "module/runtime/database_key.h"

namespace millrace::module::agenda {

// Puts a key on the agenda; an earlier date that it has already stays. O(log n).
void add(DatabaseKey key, UnixMs due);

// Looks after a key at once, whatever family it belongs to. The context is left in the key's
// database.
void look_after_now(abi::Context context, const DatabaseKey& key);

// After a swap, entries follow their keys.
void follow_swap(int first, int second);

// The server decides from now on: what fell due meanwhile is done.
void resume();

}  // namespace millrace::module::agenda
