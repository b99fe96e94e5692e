// Patterns of names as the host has them: * is any bytes, ? one, [a-z] and [^a-z] one of a set, \ the next as it is.
#pragma once

#include "engine/base/bytes.h"

namespace millrace {

// O(pattern * name) at worst, without recursion, whatever the pattern is.
bool matches_pattern(ByteView pattern, ByteView name);

}  // namespace millrace
