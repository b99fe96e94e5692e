// What MILLRACE.KEYS … WITHINFO says of a key: the few figures by which a person finds the key that needs them.
#pragma once

#include "engine/keys/key_names.h"
#include "module/abi/context.h"

namespace millrace::module {

// Of the groups, subscribers, workers and holders of one key, so many are looked at.
inline constexpr uint64_t kMostLooked = 100;

// Writes [name, type, memory, expires-at, figures], and returns true; false, and nothing, if the key does not hold
// the type any more, or has expired. The context is in the key's database.
bool write_figures(abi::Context context, abi::StringRef name, KeyType type);

}  // namespace millrace::module
