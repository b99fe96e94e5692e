// Counters of a webhook.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace millrace::gateway {

struct HookFigures {
  std::string name;                        // of the webhook
  std::atomic<uint64_t> delivered = 0;     // messages
  std::atomic<uint64_t> failed = 0;        // attempts
  std::atomic<uint64_t> given_up = 0;      // messages
  std::atomic<int64_t> in_flight = 0;      // requests
  std::atomic<uint64_t> milliseconds = 0;  // time of all requests together
  std::atomic<bool> is_paused = false;     // the receiver fails, and is tried only from time to time
};

}  // namespace millrace::gateway
