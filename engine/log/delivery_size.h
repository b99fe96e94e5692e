// How many messages of a delivery fit into an answer of limited size.
#pragma once

#include <cstdint>

#include "engine/log/log.h"

namespace millrace {

// In the order in which they are given: so many messages have at most `bytes` of tags and entries together. At least 1,
// unless the delivery is empty. O(1) for fresh messages that surely fit, else a look at each.
uint64_t messages_within(const Log& log, const Delivery& delivery, uint64_t bytes);

}  // namespace millrace
