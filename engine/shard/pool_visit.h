// One operation on one pool: what each begins and ends with. The pool's time is moved to the present, and what follows
// from the change is worked out: when the pool must be looked after next, and which waiting workers are shown to be
// alive.
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
  // `before` is what the pool counted before the operation. Borrows all it is given.
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

  // Moves the pool's time to the present. That is an effect, at most one a millisecond; what follows from it, and the
  // requests themselves, are repeated as they came.
  // A request that is refused should not come here, since time that has moved is a change. It does only if a pool or a
  // recipient is as full as a pool or a recipient can ever be.
  void move_clock() {
    if (!call_.decides) return;
    start_clock();
    if (pool().tick(present_)) tell_clock();
  }
  // The pool's time goes by the caller's clock from now on, but has not moved.
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
  const Place<Pool>& place() const { return place_; }
  bool decides() const { return call_.decides; }

  // What time it is for the pool, if its own time were moved.
  PoolTime present() const { return present_; }

  // --- when it must be looked after ---
  // More may have changed than what one worker has to do.
  void look_at_all() { looks_at_all_ = true; }
  // This worker has something more to do, or has shown itself. REQUIRES: it is there, unless recipients have moved.
  void look_at(WorkerId worker) {
    if (moved() != 0 || !call_.decides) return;  // finish() looks at all
    const Worker& one = pool().worker(worker);
    if (one.seen) look_again_at(*one.seen + (one.busy > 0 ? 1 : Pool::kGoneAfter) * pool().settings().stale_ms + 1);
  }
  // This worker has joined. If others could take over from each other before, that is all that is new. Else all are
  // looked at, but if they are many, later: a worker that joins does not wait for that.
  void look_at_joined(WorkerId worker) {
    if (!call_.decides) return;
    if (pool().working().size() + pool().going().size() <= Pool::kFew) return look_at_all();
    look_again_at(pool().has_company(worker) ? pool().gone_at(pool().worker(worker)) : pool().now());
  }
  // At this time of the pool, but not before the next millisecond: others have their turn between two slices of a long
  // move.
  void look_again_at(PoolTime due);

  // --- workers that wait ---
  std::vector<std::string> waiting_workers() const;
  // Shows those that wait to be alive, and has it done again in time.
  void show_waiting();
  // How often a worker that waits is shown to be alive.
  uint64_t sign_interval() const { return std::max<uint64_t>(1, pool().settings().stale_ms / 3); }

  // Last of all: the dates of what has changed.
  void finish() {
    // An engine that repeats looks as soon as it decides.
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
