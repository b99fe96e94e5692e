// The names of our keys, for who looks at them all: a console. Nobody pays for it otherwise. The first question of a
// database has its keys gone through, in slices, as SCAN does; from then on what happens to keys is followed. When
// nobody has asked for some minutes, it is dropped.
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

// Of the context's database. If it is new, the first slice of the work is done at once: of a small server it is all.
Known ask(abi::Context context);

// --- what happens to keys ---
void appeared(abi::Context context, abi::StringRef name);
void left(int database, ByteView name);
void swap(int first, int second);
void empty(int database);  // -1: all
void follow_loading(abi::Loading moment);

// For INFO.
uint64_t keys();
uint64_t memory();

}  // namespace millrace::module::key_catalog
