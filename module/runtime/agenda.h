// What must be done to a key at a date although nobody calls: a log with an age limit loses its oldest messages, a
// lease ends, a worker that is silent loses its recipients. When a date has come, the key is opened by its name, and
// whatever is there is looked after by its family (Family::look_after).
//
// A date is one of the wall clock, or one of the monotonic clock, for what must not depend on how the other is set. The
// host's timers run on the wall clock and come to the millisecond as long as nobody sets it; so for dates of the
// monotonic clock the end of every turn of the event loop looks as well, at least ten times a second.
//
// Only a server that decides works on its agenda; a replica keeps it for the day it is promoted.
#pragma once

#include <cstddef>

#include "engine/base/strong.h"
#include "module/abi/context.h"
#include "module/abi/registration.h"
#include "module/runtime/database_key.h"

namespace millrace::module::agenda {

// Each add() is one entry, which remove() takes off; see KeyDate, which keeps one for each key. O(log n).
void add(int database, ByteView name, UnixMs due);
void add(int database, ByteView name, MonotonicMs due);
void remove(int database, ByteView name, UnixMs due);
void remove(int database, ByteView name, MonotonicMs due);

size_t size();

// To be called at the end of every turn of the event loop: looks after the keys whose date on the monotonic clock has
// come, if this server decides.
void end_turn(abi::Context context);

// The server decides from now on: what fell due meanwhile is done.
void resume();

// --- what happens to all keys at once ---
void follow_swap(int first, int second);
void forget(int database);  // -1: all
void follow_loading(abi::Loading moment);

}  // namespace millrace::module::agenda
