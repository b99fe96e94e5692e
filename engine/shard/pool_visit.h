// The beginning and the end of every operation on a pool. It moves the pool's time to the present, and computes the
// consequences: when the pool must be looked after next, and which waiting workers are recorded as alive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"
#include "engine/shard/pool.h"
#include "engine/shard/pool_waiters.h"

namespace millrace {

class PoolVisit {
 public:
  // `before` are the pool's counters before the operation. Borrows its arguments.
  // REQUIRES: there is a pool.
  PoolVisit(Place<Pool>& place, const Call& call, const PoolWaiters& waiters, Consequences& consequences,
            PoolCounters before)
      : follow(consequences),
        place_(place),
        call_(call),
        waiters_(waiters),
        present_(call.decides ? pool().notes.clock.read(pool().now(), call.now) : pool().now()),
        before_(before) {}
  PoolVisit(Place<Pool>& place, const Call& call, const PoolWaiters& waiters, Consequences& consequences)
      : PoolVisit(place, call, waiters, consequences, place.get()->counters()) {}

  Pool& pool() const { return *place_.get(); }
  Consequences& follow;

  // Moves the pool's time to the present. That is an effect, at most one per millisecond; replicas repeat the requests
  // as they came. A refused request should not call this, because moving the time is a change. The only exception is a
  // pool or recipient that has reached its absolute limit.
  void move_clock() {
    if (!call_.decides) return;
    start_clock();
    if (pool().tick(present_)) tell_clock();
  }
  // From now on, the pool's time follows the caller's clock; it has not moved yet.
  void start_clock() { pool().notes.clock.start(pool().now(), call_.now); }

  // The request has changed the pool.
  void changed(const char* event) {
    follow.effects.add_request();
    follow.events.add(event);
  }

  // How many recipients have changed their worker, and how many workers were removed because they were stale.
  uint64_t moved() const { return pool().counters().moved - before_.moved; }
  uint64_t failovers() const { return pool().counters().failovers - before_.failovers; }
  uint64_t dead() const { return pool().counters().dead - before_.dead; }
  uint64_t forgotten() const { return pool().counters().forgotten - before_.forgotten; }
  // Any of them.
  bool has_counted() const { return pool().counters() != before_; }
  const Place<Pool>& place() const { return place_; }
  bool decides() const { return call_.decides; }

  // The time that the pool would have after move_clock().
  PoolTime present() const { return present_; }

  // --- when it must be looked after ---
  // Changes may concern more than one worker.
  void look_at_all() { looks_at_all_ = true; }
  // This worker has more to do, or was recorded as alive. REQUIRES: it exists, unless recipients have moved.
  void look_at(WorkerId worker) {
    if (moved() != 0 || !call_.decides) return;  // finish() looks at all
    const Worker& one = pool().worker(worker);
    if (one.seen) look_again_at(*one.seen + (one.busy > 0 ? 1 : Pool::kGoneAfter) * pool().settings().stale_ms + 1);
  }
  // This worker has joined. If other workers could already take over from each other, only this worker is new.
  // Otherwise all workers are looked at; if they are many, that is done later, so that the joining worker does not wait
  // for it.
  void look_at_joined(WorkerId worker) {
    if (!call_.decides) return;
    if (pool().working().size() + pool().going().size() <= Pool::kFew) return look_at_all();
    look_again_at(pool().has_company(worker) ? pool().gone_at(pool().worker(worker)) : pool().now());
  }
  // Asks to be looked after at this time of the pool, but not before the next millisecond: other clients have their
  // turn between two slices of a long move.
  void look_again_at(PoolTime due);

  // --- workers that wait ---
  std::vector<std::string> waiting_workers() const;
  // Records that waiting workers are alive, and schedules the next time.
  void show_waiting();
  // How often a waiting worker is recorded as alive.
  uint64_t sign_interval() const { return std::max<uint64_t>(1, pool().settings().stale_ms / 3); }

  // The last call: computes the dates of what has changed.
  void finish() {
    // A replica looks as soon as it becomes the deciding engine.
    if (!call_.decides) return follow.look_after_at(MonotonicMs(0));
    if (looks_at_all_ || moved() != 0) look_again_when_due();
  }

 private:
  void tell_clock();
  void look_again_when_due();

  Place<Pool>& place_;
  const Call& call_;
  const PoolWaiters& waiters_;
  const PoolTime present_;
  PoolCounters before_;
  bool looks_at_all_ = false;
};

}  // namespace millrace
