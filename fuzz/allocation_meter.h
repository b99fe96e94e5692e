// Counts what is allocated, so that a target can claim that outside bytes never
// allocate more than they bring.
#pragma once

#include <cstdint>

namespace millrace::fuzz {

// All bytes asked of operator new since the program started, given back or not: a
// bound on this bounds what was held at any one moment, too.
uint64_t allocated_bytes();

}  // namespace millrace::fuzz
