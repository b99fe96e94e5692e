// The clock that leases run on: it never jumps, whatever happens to the wall clock
// (abi::now(), in context.h).
#pragma once

#include <cstdint>

#include "engine/base/strong.h"

namespace millrace::abi {

MonotonicMs monotonic_now();

// Two servers with the same identity read the same monotonic clock: the same boot of the
// same machine. 0 if it cannot be told.
uint64_t monotonic_clock_identity();

}  // namespace millrace::abi
