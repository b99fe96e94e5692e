// The watchers of keys: engine/watching for the keys of this server. The value of a key has a note that says whether
// the key may be watched. So a write to any other key costs only a look at that note.
//
// A note is a hint. It is set when a watched key is read or created, and cleared by the first write that finds no
// watcher. When a key gets a value without a command of ours (RENAME, SWAPDB, loading a file), its watchers are told
// that everything may have changed. They then read the key, which sets the note again.
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

// Called after every operation on an existing object: tells watchers of the key about new messages.
template <class Object>
[[gnu::always_inline]] inline void tell_watchers(KeyPlace<Object>& place, const Wake& wake) {
  if constexpr (requires { place.key().notes().watch; }) {
    WatchNote& note = place.key().notes().watch;
    if (!note.may_be_watched && !place.is_made()) [[likely]] {
      return;
    }
    if (watched_keys().empty()) return void(note.may_be_watched = false);
    // A mark is the end of the messages. 0 and UINT64_MAX say nothing about messages.
    const uint64_t mark = wake.mark == UINT64_MAX ? 0 : wake.mark;
    note.may_be_watched = watched_keys().wrote(place.context().database(), place.name(), mark);
  }
}

}  // namespace millrace::module
