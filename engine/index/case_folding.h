// Simple case folding of UTF-8, as Unicode 14 defines it: each character becomes one other at most, so "Straße" and
// "STRASSE" stay different. Does not depend on a locale.
#pragma once

#include <string>

#include "engine/base/bytes.h"

namespace millrace {

// The text in its folded form. Bytes that are not valid UTF-8 stay as they are.
std::string fold_case(ByteView text);

}  // namespace millrace
