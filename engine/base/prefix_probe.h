// Asks with two names whether all names with a prefix are allowed.
#pragma once

#include <array>

#include "engine/base/bytes.h"

namespace millrace {

// If a permission pattern allows the prefix itself, and also the prefix followed by bytes that do not occur in
// patterns, it allows every name with that prefix.
inline constexpr std::array<ByteView, 2> kPrefixProbes = {"", "\x01\x7f~"};

}  // namespace millrace
