// Simple case folding of UTF-8, as Unicode 14 defines it: each character is replaced by at most one other, so "Straße"
// and "STRASSE" stay different. Does not depend on a locale.
#pragma once

#include <string>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace {

// The text in its folded form. Bytes that are not valid UTF-8 stay as they are.
std::string fold_case(ByteView text);

// The characters with the same folded form as this one, including itself: "k", "K" and the Kelvin sign. At most about
// five. REQUIRES: one character, or one byte that is not part of valid UTF-8
std::vector<std::string> case_variants(ByteView character);

}  // namespace millrace
