// Counts allocated bytes, so that a target can check that untrusted input never allocates more than its own size.
#pragma once

#include <cstdint>

namespace millrace::fuzz {

// All bytes requested from operator new since the program started, freed or not. A bound on this is also a bound on the
// memory in use at any time.
uint64_t allocated_bytes();

}  // namespace millrace::fuzz
