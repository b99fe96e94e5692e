// What INFO millrace counts. Since the server started; not saved.
#pragma once

#include <cstdint>

namespace millrace::module {

// Beside those of the engine, engine/log/log_counters.h.
struct LogUpkeepCounters {
  uint64_t compaction_slices = 0;
  uint64_t compaction_slice_max_us = 0;  // the longest of them, of processor time
  uint64_t blocks_packed = 0;
  uint64_t blocks_left_unpacked = 0;  // because they do not get smaller
  uint64_t bytes_saved = 0;           // by those that were packed
};

struct Counters {
  LogUpkeepCounters log;
  uint64_t refused_payloads = 0;  // RESTORE, RDB and AOF bytes that did not decode
};

inline constinit Counters counters;

}  // namespace millrace::module
