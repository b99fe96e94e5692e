// How operations on locks are replicated and written to append-only files.
#pragma once

#include "engine/base/bytes.h"

namespace millrace {

// LOCK.APPLY has no words for kinds of effects: all effects are changes in one format (lock_codec.h).
inline constexpr const char* kLockChanges = nullptr;

// All requests that wait for a lock are in one line.
inline constexpr ByteView kLockLine = "";

}  // namespace millrace
