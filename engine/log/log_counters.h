// What the operations on logs have done since the process started. Not saved.
#pragma once

#include <cstdint>

namespace millrace {

struct LogCounters {
  uint64_t written = 0;
  uint64_t read = 0;
  uint64_t redelivered = 0;
  uint64_t acknowledged = 0;
  uint64_t given_up = 0;
  uint64_t dead_letters = 0;
  uint64_t redriven = 0;  // dead letters that went back
  uint64_t evicted = 0;   // by any means except deleting the log
  uint64_t compacted = 0;
  uint64_t duplicates = 0;  // writes with an id that was known
  uint64_t scheduled = 0;
  uint64_t refused = 0;  // writes
  uint64_t deleted = 0;
  uint64_t blocks_packed = 0;
  uint64_t blocks_left_unpacked = 0;  // because packing does not make them smaller
  uint64_t saved_by_packing = 0;      // bytes saved in the blocks that were packed
};

}  // namespace millrace
