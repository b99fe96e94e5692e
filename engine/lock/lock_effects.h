// How operations on locks are told to replicas and append-only files.
#pragma once

#include "engine/base/bytes.h"

namespace millrace {

// LOCK.APPLY has no word: all effects are changes in one format (lock_codec.h).
inline constexpr const char* kLockChanges = nullptr;

// All requests that wait for a lock stand in one line.
inline constexpr ByteView kLockLine = "";

}  // namespace millrace
