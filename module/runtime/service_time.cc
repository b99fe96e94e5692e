#include "module/runtime/service_time.h"

#include <algorithm>

#include "module/abi/context.h"
#include "module/abi/event_loop.h"

namespace millrace::module {

namespace {

// If a command takes no longer than this, or the host sleeps no longer than this too long, the time still counts as
// service: clients that called meanwhile hardly had to wait.
constexpr uint64_t kPatience = 100;

struct {
  bool is_counted = false;
  MonotonicMs last;
  MonotonicMs served;
} constinit service;

}  // namespace

MonotonicMs service_time(MonotonicMs now) {
  if (!service.is_counted) {
    abi::watch_loop();
    service.is_counted = true;
    service.last = now;
  }
  if (!abi::replication_is_paused()) {
    service.served = service.served + std::min(now - service.last, abi::longest_sleep_ms() + kPatience);
  }
  service.last = now;
  return service.served;
}

}  // namespace millrace::module
