// What the operations on locks have done since the process started. Not saved.
#pragma once

#include <cstdint>

namespace millrace {

struct LockCounters {
  uint64_t grants = 0;     // to new holders
  uint64_t reentries = 0;  // grants to owners that held it already
  uint64_t releases = 0;   // released holds
  uint64_t expiries = 0;   // leases that ran out
  uint64_t breaks = 0;
};

}  // namespace millrace
