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

struct ChannelCounters {
  uint64_t published = 0;
  uint64_t duplicates = 0;
  uint64_t fetched = 0;       // messages, each time one is given to a subscriber
  uint64_t acknowledged = 0;  // receipts that moved a subscriber on
  uint64_t expired = 0;       // messages
  uint64_t blocked_fetches = 0;
  uint64_t woken_fetches = 0;
};

struct LockCounters {
  uint64_t grants = 0;     // to new holders
  uint64_t reentries = 0;  // to owners that held it already
  uint64_t releases = 0;   // of a hold
  uint64_t expiries = 0;   // leases that ended by themselves
  uint64_t breaks = 0;
  uint64_t waiting = 0;
  uint64_t handed_over = 0;  // of the grants, those to clients that waited
};

struct RouteCounters {
  uint64_t matches = 0;     // changes that were looked at, dispatched ones among them
  uint64_t matched = 0;     // devices, each time
  uint64_t dispatched = 0;  // messages that were written to logs
};

struct Counters {
  LogUpkeepCounters log;
  ChannelCounters channel;
  LockCounters lock;
  RouteCounters route;
  uint64_t refused_payloads = 0;  // RESTORE, RDB and AOF bytes that did not decode
};

inline constinit Counters counters;

}  // namespace millrace::module
