// The tag of a dead letter: JSON that says which message it was and why it was given up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"

namespace millrace {

// Valid JSON whatever bytes the names hold: a byte that is not UTF-8 becomes \u0080 to \u00ff. `expired`: it was given
// up because its time was over, else because of its attempts; with a reason, because a consumer said so.
std::string dead_letter_tag(bool expired, uint32_t attempts, Offset offset, ByteView group, ByteView key, ByteView tag,
                            std::optional<ByteView> reason = std::nullopt);

// Where a dead letter came from.
struct DeadLetterOrigin {
  std::string key;
  std::string tag;  // its own, in that log
};
// Nothing if dead_letter_tag() has not written this tag.
std::optional<DeadLetterOrigin> dead_letter_origin(ByteView tag);

}  // namespace millrace
