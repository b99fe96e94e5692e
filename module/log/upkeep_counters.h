// Counters of background work on logs for INFO millrace, in addition to the engine's own (engine/log/log_counters.h).
#pragma once

#include <cstdint>

namespace millrace::module {

struct LogUpkeepCounters {
  uint64_t compaction_slices = 0;
  uint64_t compaction_slice_max_us = 0;  // processor time of the longest slice
};

inline constinit LogUpkeepCounters log_upkeep;

}  // namespace millrace::module
