// How many messages fit into an answer of limited size, or are copied at once.
#pragma once

#include <cstdint>

#include "engine/log/log.h"

namespace millrace {

// How many messages of the delivery, from its first one on, fit into `bytes` of tags and entries. At least 1, unless
// the delivery is empty. O(1) for fresh messages that certainly fit, else O(messages).
uint64_t messages_within(const Log& log, const Delivery& delivery, uint64_t bytes);

// Returns the first of these messages, as long as they fit into `bytes`; one bit per message, as in OffsetBits. The
// size of each is subtracted from `bytes`.
uint64_t admit(const Log& log, const OffsetBits& messages, uint64_t& bytes);

}  // namespace millrace
