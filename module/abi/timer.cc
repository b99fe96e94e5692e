#include "module/abi/timer.h"

#include <algorithm>

namespace millrace::abi {

namespace {

// Redis 7.0 computes the rest of a wait in microseconds as an int: with more than 35
// minutes to go it wraps around, and the server spins instead of sleeping. A timer that
// fires early finds nothing to do and is set again.
// A second is far below that: the host's timers run on the wall clock, and when that is set they are late by the rest
// of the wait.
constexpr uint64_t kLongestMs = 1000;

}  // namespace

void Timer::set_at_latest(UnixMs due) {
  if (due_ && *due_ <= due) return;
  if (due_) host.StopTimer(own_context().handle(), id_, nullptr);
  const UnixMs at = now();
  const uint64_t delay = due > at ? std::min(due - at, kLongestMs) : 0;
  id_ = host.CreateTimer(own_context().handle(), static_cast<long long>(delay), fire, this);
  due_ = due;
}

void Timer::fire(HostContext* context, void* self) {
  auto* fired = static_cast<Timer*>(self);
  fired->due_.reset();
  fired->function_(Context(context));
}

}  // namespace millrace::abi
