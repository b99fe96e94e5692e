// Packs the cold blocks of logs: the full ones whose last message is older than
// millrace.compress-age, the oldest first, a slice at a time and outside of commands.
//
// How blocks are held is each server's own business: nothing is replicated, and a replica
// packs for itself.
//
// Like the agenda's, an entry is a hint: when it falls due the key is opened by its name, and
// whatever is there now is looked at.
#pragma once

#include "engine/log/log.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

// How cold blocks are packed, as the settings stand now.
struct PackingSettings {
  bool on;
  int level;
  uint64_t age_ms;
};
PackingSettings packing_settings();

}  // namespace millrace::module

namespace millrace::module::packing {

// Puts a key in line; an earlier date that it has already stays. O(log n).
void add(DatabaseKey key, UnixMs last_written);

// Sees to it that the log's full blocks are packed one day. To be called after whatever may
// have filled one. O(1) but for the first time.
template <class MakeKey>
void see_to(Log& log, MakeKey key) {
  if (!log.has_unpacked() || log.packing_is_promised()) return;
  log.promise_packing(true);
  add(key(), *log.oldest_unpacked());
}

// A key has gone, or all of a database (-1: of all of them): with packing switched off,
// their entries would never fall due.
void forget(const DatabaseKey& key);
void forget_database(int database);

// After a swap, entries follow their keys.
void follow_swap(int first, int second);

// A setting has changed: what may be packed by now is.
void resume();

// Keys in line.
uint64_t waiting();

}  // namespace millrace::module::packing
