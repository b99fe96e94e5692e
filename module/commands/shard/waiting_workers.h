// Clients that wait for a pool: workers in SHARD.PULL for something to deliver, one line for
// each worker; senders in SHARD.ROUTE and SHARD.PUSH for a worker to join. First come, first
// served.
//
// A worker that waits is there: it does not become stale by waiting.
#pragma once

#include <optional>

#include "engine/shard/pool.h"
#include "module/abi/context.h"
#include "module/commands/shard/shard_requests.h"
#include "module/host/family.h"

namespace millrace::module {

// The client waits until its worker has something to do.
void wait_for_delivery(abi::Context context, abi::StringRef name, const PullRequest& request);
// The client waits until there is a worker.
void wait_for_worker(abi::Context context, abi::StringRef name, const RouteRequest& request);

// To be called whenever there may be something for those who wait: answers them, at once,
// or, inside a transaction, when it is over. Who waits for a worker that has gone is told.
void serve_workers(abi::Context context, abi::StringRef name, Pool& pool);
// The same when only this worker has got something: costs the same however many wait.
void serve_worker(abi::Context context, abi::StringRef name, Pool& pool, WorkerId worker);

bool do_workers_wait(abi::Context context, abi::StringRef name);
// Shows that the workers that wait are there; says when to do it again, nothing if none
// waits.
std::optional<PoolTime> keep_waiting_workers(abi::Context context, abi::StringRef name, Pool& pool);

// How many clients wait for this pool.
size_t clients_waiting(const DatabaseKey& place);

extern const Waiters kShardWaiters;

}  // namespace millrace::module
