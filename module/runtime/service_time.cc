#include "module/runtime/service_time.h"

#include <algorithm>

#include "module/abi/context.h"
#include "module/abi/event_loop.h"

namespace millrace::module {

namespace {

// A command may take so long, or the host's sleep be so much too long, and counts all the
// same: whoever called meanwhile was hardly kept waiting.
constexpr uint64_t kPatience = 100;

}  // namespace

MonotonicMs service_time(MonotonicMs now) {
  static MonotonicMs last = now;
  static MonotonicMs served(0);
  static const bool is_watched = (abi::watch_loop(), true);
  static_cast<void>(is_watched);
  if (!abi::replication_is_paused()) served = served + std::min(now - last, abi::longest_sleep_ms() + kPatience);
  last = now;
  return served;
}

}  // namespace millrace::module
