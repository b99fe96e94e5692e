// All operations on a worker pool. Only this class decides when its time moves, when a stale worker loses its
// recipients, which requests are woken, and what replicas are told. A caller parses requests and carries out
// consequences (engine/operation/outcome.h); it makes no decisions of its own.
//
//   PoolOperations pools(hash_key, waiters);
//   pools.join(place, "worker-1", call);
//   Outcome<Sent> sent = pools.push(place, request, call);
//
// Which worker is stale, which one takes over and which one is next depends only on the pool's time and its history. So
// replicas and files get the requests as they came. Effects are needed only for changes that no request asked for: the
// time has moved, a slice of recipients has moved, a waiting worker is alive. A replica calls the same functions with
// Call::decides false, and apply() for effects. Its pool then equals the original.
#pragma once

#include <cstdint>

#include "engine/base/keyed_hash.h"
#include "engine/blocks/block.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"
#include "engine/shard/dead_payload.h"
#include "engine/shard/payload_sink.h"
#include "engine/shard/pool.h"
#include "engine/shard/pool_requests.h"
#include "engine/shard/pool_waiters.h"

namespace millrace {

class PoolVisit;

// What the operations on all pools have done since the process started. Not saved.
struct PoolTotals {
  uint64_t routed = 0;
  uint64_t pushed = 0;     // payloads
  uint64_t delivered = 0;  // payloads, counted for each delivery
  uint64_t acknowledged = 0;
  uint64_t failovers = 0;  // workers
  uint64_t moved = 0;      // recipients
  uint64_t dead = 0;       // payloads that were given up
  uint64_t forgotten = 0;  // recipients
};

// The worker that a message went to, and how many messages of the recipient are pending. The name is borrowed from the
// pool until the pool is changed.
struct Sent {
  ByteView worker;
  uint64_t pending = 0;
};

class PoolOperations {
 public:
  // Clients choose the names of workers and recipients: a random key prevents them from choosing names that collide.
  // Nothing that is saved or replicated depends on the key. Borrows the other arguments for its own lifetime; the
  // limits of recipients' queues may change meanwhile. Without logs for dead payloads, a pool cannot have a dead letter
  // log.
  PoolOperations(const HashKey& key, const PoolWaiters& waiters, const BlockLimits& limits,
                 DeadPayloadLogs* logs = nullptr)
      : key_(key), waiters_(waiters), limits_(limits), logs_(logs) {}

  const PoolTotals& totals() const { return totals_; }

  // --- workers. Failure, except for join(): NoWorker, if there is no such worker ---
  // Returns how many workers there are. Failure: Full.
  Outcome<uint64_t> join(Place<Pool>& place, ByteView worker, const Call& call);
  // Records that the worker is alive. Every other operation of a worker does that as well.
  Outcome<Done> heartbeat(Place<Pool>& place, ByteView worker, const Call& call);
  // Returns how many recipients have moved already.
  Outcome<uint64_t> leave(Place<Pool>& place, const LeaveRequest& request, const Call& call);
  // Gives payloads to the sink, the worker's recipients in turn, and returns how many: at most kMostPulled, and no more
  // after kMostPulledBytes. Waits if there are none and the request may block; the request is passed to pull() again
  // when it is woken.
  static constexpr uint64_t kMostPulled = 10'000;
  static constexpr uint64_t kMostPulledBytes = 8 << 20;
  Outcome<uint64_t> pull(Place<Pool>& place, PullRequest& request, const Call& call, PayloadSink& sink);
  // Returns how many payloads were acknowledged. Failure: also NotOwner, Range.
  Outcome<uint64_t> acknowledge(Place<Pool>& place, const PoolAckRequest& request, const Call& call);
  // Returns how many payloads come back, or 1 if the payload is given up. Failure: also NotOwner, Range.
  Outcome<uint64_t> give_back(Place<Pool>& place, const PoolNackRequest& request, const Call& call);
  // Returns how many messages of the recipient stay pending. Failure: also NotOwner, Range.
  Outcome<uint64_t> done(Place<Pool>& place, const DoneRequest& request, const Call& call);
  // For commands that only read.
  static Result<WorkerId> find_worker(const Pool* pool, ByteView worker);

  // --- senders ---
  // Counts a message, or queues payloads, for the recipient's worker. Waits for a worker if the request may block.
  // Failure: NoWorkers, Full, Refused.
  Outcome<Sent> route(Place<Pool>& place, RouteRequest& request, const Call& call);
  Outcome<Sent> push(Place<Pool>& place, RouteRequest& request, const Call& call);

  // Returns how many of the recipients were idle, and were removed.
  Outcome<uint64_t> forget(Place<Pool>& place, std::span<const ByteView> recipients, const Call& call);

  // --- the pool ---
  // Changes the settings that the request names. Creates the pool if it is missing. Failure: those of
  // DeadPayloadLogs::may_write().
  Outcome<Done> set(Place<Pool>& place, const PoolSetRequest& request, const Call& call);
  // How many recipients have moved.
  Outcome<uint64_t> rebalance(Place<Pool>& place, uint64_t max_moves, const Call& call);
  // The pool's current time.
  static PoolTime present(const Pool& pool, const Call& call) {
    return call.decides ? pool.notes.clock.read(pool.now(), call.now) : pool.now();
  }

  // --- background work ---
  // Does the work that is due: records that waiting workers are alive, replaces stale ones, and continues moves by one
  // slice.
  Consequences look_after(Place<Pool>& place, const Call& call);

  // --- effects from another engine ---
  // Applies what another engine has done or saved. Failure: Corrupt, without any change.
  Outcome<Done> apply(Place<Pool>& place, const PoolEffect& effect, const Call& call);

 private:
  Outcome<Sent> send(Place<Pool>& place, RouteRequest& request, const Call& call, const char* event);
  // REQUIRES: there is a pool that can send
  Outcome<Sent> send_to_worker(Place<Pool>& place, const RouteRequest& request, const Call& call, const char* event);
  static Outcome<Sent> wait_for_worker(RouteRequest& request, const Call& call);
  Pool& pool_at(Place<Pool>& place) const { return place.get() != nullptr ? *place.get() : place.put(Pool(key_)); }
  uint64_t deliver(Pool& pool, WorkerId worker, uint64_t count, PayloadSink& sink);
  // Carries out an operation: moves the pool's time, calls act(visit), which returns the answer, and computes the
  // consequences.
  // REQUIRES: there is a pool.
  template <class Answer, class Act>
  Outcome<Answer> execute(Place<Pool>& place, const Call& call, Act act);
  // The same for a worker, and records that it is alive. REQUIRES: the worker exists.
  template <class Answer, class Act>
  Outcome<Answer> execute_as(WorkerId worker, Place<Pool>& place, const Call& call, Act act);
  // Ends a visit: counts moved recipients, and writes payloads that were given up to their log.
  void finish(PoolVisit& visit);
  void send_dead_payloads(PoolVisit& visit);
  void forget_idle(PoolVisit& visit);

  HashKey key_;
  const PoolWaiters& waiters_;
  const BlockLimits& limits_;
  DeadPayloadLogs* logs_;
  PoolTotals totals_;
};

}  // namespace millrace
