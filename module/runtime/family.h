// How the module handles a family of commands: its commands and its type, the work that its keys
// need at a date, and how its waiting clients are served. module.cc lists all families; no other
// file depends on how many there are.
#pragma once

#include <span>
#include <vector>

#include "module/abi/context.h"
#include "module/abi/registration.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

// How the waiting clients of a family are served. Each family has its own lines.
struct Waiters {
  bool (*wait_for)(const DatabaseKey& place);  // true if a client waits for this key
  std::vector<DatabaseKey> (*keys)();          // every key that clients wait for
  // Looks at the key, whatever its value is by now, and serves all clients that can be served. The context is in the
  // key's database.
  void (*serve)(abi::Context context, const DatabaseKey& place, abi::StringRef name);
  // The same where nothing may be replicated; null if no client can be served then.
  void (*serve_without_effects)(abi::Context context, const DatabaseKey& place, abi::StringRef name);
  // The key's value was removed from its database: what is known of it is no longer valid.
  void (*start_afresh)(const DatabaseKey& place);
};

// What a family does at events that concern all keys of a database at once.
struct DatabaseEvents {
  void (*swapped)(int first, int second);
  void (*emptied)(int database);  // -1: all of them, except staged ones
  void (*loading)(abi::Loading moment);
};

struct Family {
  abi::Part part;
  // Does the work that is due for the key, if it has this family's type. The context is in the key's database. Null:
  // the family's keys need no such work.
  void (*look_after)(abi::Context context, abi::StringRef name);
  // A key has appeared under this name without any command of ours: RENAME, RESTORE, COPY, MOVE. Null: as above.
  void (*appeared)(abi::Context context, abi::StringRef name);
  const Waiters* waiters;  // null: clients of this family never wait
  // Null: the family stores nothing about keys beyond what the runtime stores.
  const DatabaseEvents* database_events = nullptr;
  // A key of one of our types is taken out of its database. Null: the family need not know.
  void (*key_left)(int database, ByteView name) = nullptr;
  // Slots that were being imported (imported_slots.h) are served here now. Null: as above.
  void (*import_ended)() = nullptr;
  // This server was a replica, and is a master from now on. Null: as above.
  void (*promoted)() = nullptr;
  // A turn of the event loop ends; after abi::watch_loop(). Null: as above.
  void (*turn_ends)(abi::Context context) = nullptr;
};

// All of them; defined in module.cc.
std::span<const Family> families();

}  // namespace millrace::module
