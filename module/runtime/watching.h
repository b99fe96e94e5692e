// The watchers of keys: engine/watching for the keys of this server. A key that may be watched has a note of it in its
// value, so that a write to any other key pays nothing but a look at that note.
//
// A note is a hint. It is set when a watched key is read, or made, and taken away by the first write that finds nobody
// watching. Where a value comes under a name without a command of ours (RENAME, SWAPDB, a file that is loaded), its
// watchers are told that everything may have changed; what is there, with its note, is seen when they look.
#pragma once

#include "engine/operation/outcome.h"
#include "engine/watching/watched_keys.h"
#include "module/runtime/key_place.h"

namespace millrace::module {

WatchedKeys& watched_keys();

// In the notes of a key type that can be watched (abi::Hosted).
struct WatchNote {
  bool may_be_watched = false;
};

// To be called after every operation on an object that is there: tells watchers of the key of new messages.
template <class Object>
[[gnu::always_inline]] inline void tell_watchers(KeyPlace<Object>& place, const Wake& wake) {
  if constexpr (requires { place.key().notes().watch; }) {
    WatchNote& note = place.key().notes().watch;
    if (!note.may_be_watched && !place.is_made()) [[likely]] {
      return;
    }
    if (watched_keys().empty()) return void(note.may_be_watched = false);
    // A mark says how far messages go; none, or the last one of all, says nothing of them.
    const uint64_t mark = wake.mark == UINT64_MAX ? 0 : wake.mark;
    note.may_be_watched = watched_keys().wrote(place.context().database(), place.name(), mark);
  }
}

}  // namespace millrace::module
