// The clock that leases are measured on: it never jumps, even if the wall clock (abi::now(), in context.h) is set.
#pragma once

#include <cstdint>

#include "engine/base/strong.h"

namespace millrace::abi {

MonotonicMs monotonic_now();

// Two servers with the same identity read the same monotonic clock: the same boot of the same machine. 0 if unknown.
uint64_t monotonic_clock_identity();

}  // namespace millrace::abi
