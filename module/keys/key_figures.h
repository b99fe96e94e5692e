// The figures of a key in MILLRACE.KEYS … WITHINFO: few, but enough for a person to find the key that needs attention.
#pragma once

#include "engine/keys/key_names.h"
#include "module/abi/context.h"

namespace millrace::module {

// At most this many groups, subscribers, workers or holders of one key are looked at.
inline constexpr uint64_t kMostLooked = 100;

// Writes [name, type, memory, expires-at, figures], and returns true. Writes nothing and returns false if the key does
// not hold the type any more, or has expired. REQUIRES: the context is in the key's database.
bool write_figures(abi::Context context, abi::StringRef name, KeyType type);

}  // namespace millrace::module
