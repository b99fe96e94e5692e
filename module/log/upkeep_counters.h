// What INFO millrace counts of the work on logs that nobody asks for, beside the engine's own counters
// (engine/log/log_counters.h).
#pragma once

#include <cstdint>

namespace millrace::module {

struct LogUpkeepCounters {
  uint64_t compaction_slices = 0;
  uint64_t compaction_slice_max_us = 0;  // the longest of them, of processor time
};

inline constinit LogUpkeepCounters log_upkeep;

}  // namespace millrace::module
