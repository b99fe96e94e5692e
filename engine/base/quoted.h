// Words of a user in the text of an error.
#pragma once

#include <string>

#include "engine/base/bytes.h"

namespace millrace {

// In quotes, printable, and short whatever it was.
std::string quoted(ByteView word);

}  // namespace millrace
