// A callback for keys that our commands create: set by the index of Millrace keys while it is in use.
#pragma once

#include <cstdint>

#include "engine/base/bytes.h"

namespace millrace::module {

using KeyMade = void (*)(int database, ByteView name, uint8_t type);
// Null: not set.
inline constinit KeyMade key_made = nullptr;

}  // namespace millrace::module
