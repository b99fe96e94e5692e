// Who wants to know of keys that our commands make: the index of our keys, while somebody uses it.
#pragma once

#include <cstdint>

#include "engine/base/bytes.h"

namespace millrace::module {

using KeyMade = void (*)(int database, ByteView name, uint8_t type);
// Null: nobody.
inline constinit KeyMade key_made = nullptr;

}  // namespace millrace::module
