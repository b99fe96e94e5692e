#include "engine/shard/pool_visit.h"

#include "engine/shard/pool_effects.h"

namespace millrace {

void PoolVisit::tell_clock() {
  follow.effects.add(kPoolClock, pool().now().value());
  // If look_after() is late, waiting workers must not seem stale to the next operation.
  if (pool().now() - pool().notes.waiting_shown > pool().settings().stale_ms / 2) show_waiting();
}

void PoolVisit::look_again_at(PoolTime due) {
  // Counted from the current time, because look_after() does not move the pool's own time if nothing is due.
  follow.look_after_at(call_.now.monotonic + (due > present_ ? due - present_ : 1));
}

std::vector<std::string> PoolVisit::waiting_workers() const {
  const WaitingLines* lines = waiters_.find(place_);
  if (lines == nullptr) return {};
  std::vector<std::string> names = lines->line_names();
  std::erase(names, kSendersLine);
  return names;
}

void PoolVisit::show_waiting() {
  if (!call_.decides) return;
  pool().notes.waiting_shown = pool().now();
  const std::vector<std::string> names = waiting_workers();
  for (const std::string& name : names) {
    const auto id = pool().find_worker(name);
    if (!id) continue;
    const auto seen = pool().worker(*id).seen;
    if (seen && pool().now() - *seen < sign_interval()) continue;
    // Senders may wait for a living worker.
    if (pool().is_stale(pool().worker(*id))) follow.wake = Wake::all_lines();
    pool().touch(*id);
    follow.effects.add(kPoolSeen, name);
  }
  if (!names.empty()) look_again_at(pool().now() + sign_interval());
}

void PoolVisit::look_again_when_due() {
  if (const auto due = pool().next_settle()) look_again_at(*due);
}

}  // namespace millrace
