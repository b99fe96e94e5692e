// Words of a user in the text of an error.
#pragma once

#include <string>

#include "engine/base/bytes.h"

namespace millrace {

// The word in quotes, with unprintable bytes escaped, and shortened if it is long.
std::string quoted(ByteView word);

}  // namespace millrace
