// The tag of a dead letter: JSON that says which message it was and why it was given up.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"

namespace millrace {

// Valid JSON whatever bytes the names hold: a byte that is not UTF-8 becomes \u0080 to \u00ff. `expired`: it was given
// up because its time was over, else because of its attempts.
std::string dead_letter_tag(bool expired, uint32_t attempts, Offset offset, ByteView group, ByteView key, ByteView tag);

}  // namespace millrace
