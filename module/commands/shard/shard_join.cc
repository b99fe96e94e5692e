#include "module/commands/shard/pool_upkeep.h"
#include "module/commands/shard/shard_commands.h"
#include "module/commands/shard/shard_requests.h"
#include "module/commands/shard/waiting_workers.h"

namespace millrace::module {

namespace {

Pool& pool_or_new(PoolKey& key) {
  if (key.get() == nullptr) key.set(new_pool());
  return *key.get();
}

}  // namespace

void shard_join(abi::Context context, abi::Arguments arguments) {
  const auto worker = parse_shard_join(arguments.views(2));
  if (!worker) return context.reply().error(worker.error());
  const abi::StringRef name = arguments.string(1);
  auto key = PoolKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  if (key->get() != nullptr && key->get()->is_full(*worker)) {
    return context.reply().error({ErrorCode::Full, "the pool has as many workers as it can"});
  }
  Pool& pool = pool_or_new(*key);
  move_time(context, name, pool);
  PoolChange change(context, name, pool);
  pool.join(*worker);
  context.reply().integer(static_cast<int64_t>(pool.working().size()));
  context.replicate_verbatim();
  context.changed(name, "shard.join");
  change.settle(true);
  serve_workers(context, name, pool);
}

void shard_heartbeat(abi::Context context, abi::Arguments arguments) {
  const auto worker = parse_shard_heartbeat(arguments.views(2));
  if (!worker) return context.reply().error(worker.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedWorker::open(context, name, *worker);
  if (!opened) return context.reply().error(opened.error());
  opened->begin(context, name);
  PoolChange change(context, name, *opened->pool);
  opened->pool->touch(opened->id);
  context.reply().integer(1);
  context.replicate_verbatim();
  context.changed(name, "shard.heartbeat");
  change.settle_for(*opened);
}

void shard_leave(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_shard_leave(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedWorker::open(context, name, request->worker);
  if (!opened) return context.reply().error(opened.error());
  opened->begin(context, name);
  PoolChange change(context, name, *opened->pool);
  context.reply().integer(static_cast<int64_t>(opened->pool->leave(opened->id, request->lets_go)));
  context.replicate_verbatim();
  context.changed(name, "shard.leave");
  change.settle(true);
  serve_workers(context, name, *opened->pool);
}

void shard_set(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_shard_set(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto key = PoolKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  Pool& pool = pool_or_new(*key);
  move_time(context, name, pool);
  PoolChange change(context, name, pool);
  PoolSettings settings = pool.settings();
  settings.stale_ms = request->stale_ms.value_or(settings.stale_ms);
  settings.policy = request->policy.value_or(settings.policy);
  pool.set(settings);
  context.reply().ok();
  context.replicate_verbatim();
  context.changed(name, "shard.set");
  change.settle(true);
  keep_there(context, name, pool);
}

void shard_rebalance(abi::Context context, abi::Arguments arguments) {
  const auto max_moves = parse_shard_rebalance(arguments.views(2));
  if (!max_moves) return context.reply().error(max_moves.error());
  const abi::StringRef name = arguments.string(1);
  auto key = PoolKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  if (key->get() == nullptr) return context.reply().integer(0);
  Pool& pool = *key->get();
  move_time(context, name, pool);
  PoolChange change(context, name, pool);
  const uint64_t moved = pool.rebalance(*max_moves);
  context.reply().integer(static_cast<int64_t>(moved));
  if (moved == 0) return;
  context.replicate_verbatim();
  context.changed(name, "shard.rebalance");
  change.settle(true);
}

}  // namespace millrace::module
