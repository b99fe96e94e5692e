// The tag of a dead letter: JSON that says which message it was and why it was given up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"

namespace millrace {

// Returns valid JSON whatever bytes the names hold: a byte that is not UTF-8 becomes \u0080 to \u00ff. `expired`: the
// message was given up because its time was over, else because it had its last attempt. With a reason: a consumer gave
// it up.
std::string dead_letter_tag(bool expired, uint32_t attempts, Offset offset, ByteView group, ByteView key, ByteView tag,
                            std::optional<ByteView> reason = std::nullopt);

// Where a dead letter came from.
struct DeadLetterOrigin {
  std::string key;
  std::string tag;  // tag of the original message
};
// nullopt if the tag was not written by dead_letter_tag().
std::optional<DeadLetterOrigin> dead_letter_origin(ByteView tag);

}  // namespace millrace
