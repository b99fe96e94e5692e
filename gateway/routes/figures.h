// Counters of the gateway, over all its loops.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "gateway/deliver/hook_figures.h"

namespace millrace::gateway {

struct Figures {
  std::atomic<bool> writes_access_log = false;  // set by the configuration or by PUT /admin/log/level
  std::atomic<uint64_t> accepted = 0;
  std::atomic<uint64_t> refused = 0;  // connections refused because of a limit
  std::atomic<int64_t> connections = 0;
  std::atomic<int64_t> streams = 0;
  std::atomic<int64_t> sockets = 0;
  std::atomic<uint64_t> requests[6] = {};  // by the first digit of the status
  std::atomic<uint64_t> events = 0;        // events sent to streams and sockets
  std::atomic<uint64_t> resets = 0;
  const std::deque<HookFigures>* webhooks = nullptr;  // null: there are none
  std::atomic<uint64_t> lagging = 0;                  // how often a stream stopped being live because it was slow
};

}  // namespace millrace::gateway
