// The tag of a dead letter, which says where it came from and why. Knows nothing of the
// host.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"

namespace millrace {

// JSON, whatever bytes the names hold. Bytes that are not UTF-8 come as \u00xx.
std::string dead_letter_tag(bool expired, uint32_t attempts, Offset offset, ByteView group, ByteView key, ByteView tag);

}  // namespace millrace
