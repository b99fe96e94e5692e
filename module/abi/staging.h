// A replica with repl-diskless-load swapdb loads the data set of its master beside its own, and serves its own
// meanwhile. The data set that is loaded beside is called staged: it takes over in one step, or it is thrown away.
// Neither removes keys one by one: the host frees the objects of the other data set on a background thread, without
// Traits::left.
//
// The databases of a staged data set have numbers of their own. So what is kept by database and name is kept for both
// data sets side by side, until Loading::TakesOver or Loading::IsThrownAway (registration.h).
#pragma once

#include "module/abi/context.h"
#include "module/abi/host.h"

namespace millrace::abi {

// The staged database that becomes this one. Never -1, which means all databases in use.
constexpr int staged(int database) { return -2 - database; }
constexpr bool is_staged(int database) { return database < -1; }
// The number of a staged database once it has taken over.
constexpr int after_takeover(int database) { return -2 - database; }

// Traits::arrived for a value that has no notes yet, or none any more.
using Arrived = void (*)(int database, ByteView name, void* value);

// The host has loaded a value, and will store it at this place. Calls arrived(), with the number of the database that
// the value will be in: at once, or for a staged key when it is certain that it is one.
void value_loaded(int database, ByteView name, void* value, Arrived arrived);
// RESTORE has stored the value of this key.
void value_restored(Context context, StringRef name);
// A value is about to be freed, on any thread.
void value_freed(const void* value);

// True while the data set that is being loaded is staged.
bool is_staging();
// From now on, follows the events of the host.
void watch_staging(HostContext* context);

}  // namespace millrace::abi
