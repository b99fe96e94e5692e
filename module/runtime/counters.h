// Counters for INFO millrace that belong to no family, since the server started; not saved.
#pragma once

#include <cstdint>

namespace millrace::module {

struct Counters {
  uint64_t refused_payloads = 0;  // RESTORE, RDB and AOF bytes that did not decode
};

inline constinit Counters counters;

}  // namespace millrace::module
