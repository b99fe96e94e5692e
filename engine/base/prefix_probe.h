// Asks with two names whether all names with a prefix are allowed.
#pragma once

#include <array>

#include "engine/base/bytes.h"

namespace millrace {

// A pattern of rights that allows a prefix itself, and the prefix with bytes that nobody writes into a pattern, allows
// every name that begins with it.
inline constexpr std::array<ByteView, 2> kPrefixProbes = {"", "\x01\x7f~"};

}  // namespace millrace
