// The names of all Millrace keys, for clients that list them, such as a console. It costs nothing while it is not used.
// The first request for a database starts a scan of its keys, in slices; from then on every change of a key updates the
// catalog. Some minutes after the last request it is dropped.
#pragma once

#include <cstdint>

#include "engine/keys/key_names.h"
#include "module/abi/context.h"
#include "module/abi/registration.h"

namespace millrace::module::key_catalog {

struct Known {
  const KeyNames& names;  // valid until the next change of any key
  bool is_complete;
  uint64_t done;  // keys of all types that were looked at
  uint64_t of;
};

// The catalog of the context's database. If there is none, it is made, and the first slice is scanned at once: on a
// small server this finds all keys.
Known ask(abi::Context context);

// --- what happens to keys ---
void appeared(abi::Context context, abi::StringRef name);
void left(int database, ByteView name);
void swap(int first, int second);
void empty(int database);  // -1: all
void follow_loading(abi::Loading moment);
void import_ended();

// For INFO.
uint64_t keys();
uint64_t memory();

}  // namespace millrace::module::key_catalog
