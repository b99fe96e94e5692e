#include "module/commands/shard/pool_upkeep.h"

#include <string>

#include "module/abi/clock.h"
#include "module/commands/shard/waiting_workers.h"
#include "module/host/counters.h"
#include "module/host/monotonic_agenda.h"
#include "module/host/reclaim.h"
#include "module/host/role.h"
#include "module/host/service_time.h"

namespace millrace::module {

namespace {

void promise(abi::Context context, abi::StringRef name, Pool& pool, MonotonicMs date) {
  if (pool.notes.promised <= date) return;
  pool.notes.promised = date;
  monotonic_agenda::add({context.database(), std::string(name.view())}, date);
}

// Comes back at this time of the pool, or earlier. Not before the next millisecond: between
// two slices of a long move others have their turn.
void come_back_at(abi::Context context, abi::StringRef name, Pool& pool, std::optional<PoolTime> due) {
  if (!due || *due >= pool.notes.promised_for) return;
  pool.notes.promised_for = *due;
  promise(context, name, pool, abi::monotonic_now() + (*due > pool.now() ? *due - pool.now() : 1));
}

// A pool's time goes on from where it stood when this server began to decide.
void go_by_our_clock(Pool& pool, MonotonicMs service) {
  Pool::Notes& notes = pool.notes;
  if (notes.period == deciding_period) return;
  notes.period = deciding_period;
  notes.origin = service;
  notes.time_at_origin = pool.now();
}

}  // namespace

void move_time(abi::Context context, abi::StringRef name, Pool& pool) {
  if (!decides(context)) return;
  // Read once: otherwise the time of a pool that was just made could move, and that effect would be written before the
  // command that makes the pool.
  const MonotonicMs service = service_time();
  go_by_our_clock(pool, service);
  if (!pool.tick(pool.notes.time_at_origin + (service - pool.notes.origin))) return;
  context.replicate(kApplyToPool, name, kApplyPoolTime, pool.now().value());
  // If the agenda is late, those who wait must not seem stale to what comes now.
  if (pool.now() - pool.notes.kept_there > pool.settings().stale_ms / 2) keep_there(context, name, pool);
}

PoolTime present(const Pool& pool) {
  const Pool::Notes& notes = pool.notes;
  if (!server_decides || notes.period != deciding_period) return pool.now();
  return std::max(pool.now(), notes.time_at_origin + (service_time() - notes.origin));
}

Error no_worker() {
  return {ErrorCode::NoWorker, "the worker has not joined the pool, has left it, or was removed while it was stale"};
}

Result<OpenedWorker> OpenedWorker::open(abi::Context context, abi::StringRef name, ByteView worker) {
  auto key = PoolKey::for_writing(context, name);
  if (!key) return std::unexpected(key.error());
  Pool* pool = key->get();
  const auto id = pool == nullptr ? std::nullopt : pool->find_worker(worker);
  if (!id) return std::unexpected(no_worker());
  return OpenedWorker{std::move(*key), pool, *id, false};
}

void OpenedWorker::begin(abi::Context context, abi::StringRef name) {
  move_time(context, name, *pool);
  was_stale = pool->is_stale(pool->worker(id));
}

void PoolChange::account() {
  counters.shard.moved += pool_.counters().moved - before_.moved;
  counters.shard.failovers += pool_.counters().failovers - before_.failovers;
  before_ = pool_.counters();
  reclaim(pool_.take_evicted());
}

void PoolChange::settle(bool look_at_all) {
  look_at_all |= moved();
  account();
  // Who only repeats looks as soon as it decides.
  if (!server_decides) return promise(context_, name_, pool_, MonotonicMs(0));
  if (look_at_all) come_back_at(context_, name_, pool_, pool_.next_settle());
}

void PoolChange::settle_for(WorkerId id) {
  if (moved() || !server_decides) return settle(true);
  account();
  const Worker& worker = pool_.worker(id);
  if (worker.seen && worker.busy > 0) {
    come_back_at(context_, name_, pool_, *worker.seen + pool_.settings().stale_ms + 1);
  }
}

void keep_there(abi::Context context, abi::StringRef name, Pool& pool) {
  pool.notes.kept_there = pool.now();
  come_back_at(context, name, pool, keep_waiting_workers(context, name, pool));
}

std::optional<UnixMs> look_after_pool(abi::Context context, abi::StringRef name, UnixMs) {
  auto key = PoolKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return std::nullopt;
  Pool& pool = *key->get();
  pool.notes.promised = MonotonicMs(UINT64_MAX);
  pool.notes.promised_for = PoolTime(UINT64_MAX);
  go_by_our_clock(pool, service_time());
  const auto is_due = [&](PoolTime now) {
    const auto due = pool.next_settle();
    return due && *due <= now;
  };
  // Its time moves only if that matters: a look alone is no change.
  if (is_due(present(pool)) || do_workers_wait(context, name)) move_time(context, name, pool);
  keep_there(context, name, pool);
  PoolChange change(context, name, pool);
  if (is_due(pool.now())) {
    pool.settle();
    context.replicate(kApplyToPool, name, kApplySettle);
    context.changed(name, "shard.settle");
    serve_workers(context, name, pool);
  }
  change.settle(true);
  return std::nullopt;
}

}  // namespace millrace::module
