#include "module/host/service_time.h"

#include <algorithm>

#include "module/abi/clock.h"
#include "module/abi/event_loop.h"

namespace millrace::module {

namespace {

// The event loop turns at least once a second, ten times by default.
constexpr uint64_t kLongestTurn = 2000;

}  // namespace

MonotonicMs service_time() {
  static MonotonicMs last = abi::monotonic_now();
  static MonotonicMs served(0);
  static const bool is_watched = (abi::watch_loop(), true);
  static_cast<void>(is_watched);
  const MonotonicMs now = abi::monotonic_now();
  served = served + std::min(now - last, kLongestTurn);
  last = now;
  return served;
}

}  // namespace millrace::module
