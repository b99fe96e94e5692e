// The agenda for what must not depend on the wall clock: leases and waits. Like agenda.h its
// entries are hints, names with a date, and whatever is there when one falls due is looked
// after by its family (Family::look_after).
//
// The end of every turn of the event loop looks at it, at least ten times a second, and a
// timer of the host comes to the millisecond as long as nobody sets the clock.
#pragma once

#include "engine/base/strong.h"
#include "module/abi/context.h"
#include "module/abi/registration.h"
#include "module/runtime/database_key.h"

namespace millrace::module::monotonic_agenda {

// A key may be here several times; each add() is one entry. O(log n). The clocks are read
// only if the timer must be set.
void add(DatabaseKey key, MonotonicMs due);
// Takes one such entry off, if there is one.
void remove(const DatabaseKey& key, MonotonicMs due);

// Looks after the keys whose date has come, if this server decides.
void work(abi::Context context);

// --- what happens to all keys at once ---
void follow_swap(int first, int second);
void forget(int database);  // -1: all
// A data set that is loaded brings its own entries, and its keys take the place of those
// that were here. If it fails they stay.
void follow_loading(abi::Loading moment);

}  // namespace millrace::module::monotonic_agenda
