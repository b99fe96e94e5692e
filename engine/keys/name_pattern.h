// Patterns of names with the syntax of the host: * is any bytes, ? is one byte, [a-z] and [^a-z] are one byte of a set,
// \ escapes the next byte.
#pragma once

#include "engine/base/bytes.h"

namespace millrace {

// O(pattern * name) at worst, without recursion, whatever the pattern is.
bool matches_pattern(ByteView pattern, ByteView name);

}  // namespace millrace
