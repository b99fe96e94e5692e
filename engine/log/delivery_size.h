// How many messages fit into an answer of limited size, or are copied at once.
#pragma once

#include <cstdint>

#include "engine/log/log.h"

namespace millrace {

// How many messages, in the given order, have at most `bytes` of tags and entries together. At least 1, unless the
// delivery is empty. O(1) for fresh messages that certainly fit, else O(messages).
uint64_t messages_within(const Log& log, const Delivery& delivery, uint64_t bytes);

// The first of these messages, until `bytes` is used up; a bit for each, as in OffsetBits. Each message lowers `bytes`
// by its size.
uint64_t admit(const Log& log, const OffsetBits& messages, uint64_t& bytes);

}  // namespace millrace
