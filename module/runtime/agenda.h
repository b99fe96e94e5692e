// Work on a key at a date, without a command: a log with an age limit evicts its oldest messages, a lease ends, the
// recipients of a silent worker move. When a date has come, the key is opened by its name, and its family does the work
// (Family::look_after).
//
// A date is on the wall clock, or on the monotonic clock for work that must not depend on changes of the wall clock.
// The host's timers use the wall clock and are exact to the millisecond only while it is not set. So dates on the
// monotonic clock are also checked at the end of every turn of the event loop, at least ten times a second.
//
// Only a deciding server works on its agenda; a replica keeps it in case it is promoted. A key in a slot that is being
// imported (imported_slots.h) is not looked after until the slot is served here.
#pragma once

#include <cstddef>

#include "engine/base/strong.h"
#include "module/abi/context.h"
#include "module/abi/registration.h"
#include "module/runtime/database_key.h"

namespace millrace::module::agenda {

// Each add() adds one entry, which remove() removes; see KeyDate, which has one for each key. An entry of a staged
// database (module/abi/staging.h) is no date before the database is in use. O(log n).
void add(int database, ByteView name, UnixMs due);
void add(int database, ByteView name, MonotonicMs due);
void remove(int database, ByteView name, UnixMs due);
void remove(int database, ByteView name, MonotonicMs due);

size_t size();

// Called at the end of every turn of the event loop: looks after the keys whose date on the monotonic clock has come,
// if this server decides.
void end_turn(abi::Context context);

// The server decides from now on: does the work that is overdue.
void resume();

// An import has ended: looks after the keys whose dates have come meanwhile.
void import_ended();

// --- events that concern all keys at once ---
void follow_swap(int first, int second);
void forget(int database);  // -1: all
void follow_loading(abi::Loading moment);

}  // namespace millrace::module::agenda
