#include "module/commands/shard/delivery.h"
#include "module/commands/shard/pool_upkeep.h"
#include "module/commands/shard/shard_commands.h"
#include "module/commands/shard/shard_requests.h"
#include "module/commands/shard/waiting_workers.h"
#include "module/host/counters.h"
#include "module/host/role.h"

namespace millrace::module {

void shard_pull(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_shard_pull(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedWorker::open(context, name, request->worker);
  if (!opened) return context.reply().error(opened.error());
  Pool& pool = *opened->pool;
  if (pool.worker(opened->id).state != Worker::State::Working) return context.reply().error(no_worker());

  opened->begin(context, name);
  PoolChange change(context, name, pool);
  pool.touch(opened->id);
  if (!pool.has_delivery(opened->id) && request->block_ms && !context.must_answer_at_once() && decides(context)) {
    // A command that waits does not pass on itself.
    context.replicate(kApplyToPool, name, kApplySeen, arguments.string(2));
    wait_for_delivery(context, name, *request);
    change.settle_for(*opened);
    return keep_there(context, name, pool);
  }
  abi::Reply reply = context.reply();
  deliver_and_write(reply, pool, opened->id, request->count);
  context.replicate_verbatim();
  context.changed(name, "shard.pull");
  change.settle_for(*opened);
}

void shard_ack(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_shard_ack(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedWorker::open(context, name, request->worker);
  if (!opened) return context.reply().error(opened.error());
  const auto allowed = opened->pool->may_be_acknowledged(opened->id, request->recipient, request->sequence);
  if (!allowed) return context.reply().error(allowed.error());
  opened->begin(context, name);
  PoolChange change(context, name, *opened->pool);
  const auto acknowledged = opened->pool->acknowledge(opened->id, request->recipient, request->sequence);
  counters.shard.acknowledged += *acknowledged;
  context.reply().integer(static_cast<int64_t>(*acknowledged));
  context.replicate_verbatim();
  context.changed(name, "shard.ack");
  const bool moved = change.moved();
  change.settle_for(*opened);
  if (moved) serve_workers(context, name, *opened->pool);
}

void shard_done(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_shard_done(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedWorker::open(context, name, request->worker);
  if (!opened) return context.reply().error(opened.error());
  const auto allowed = opened->pool->may_be_done(opened->id, request->recipient, request->count);
  if (!allowed) return context.reply().error(allowed.error());
  opened->begin(context, name);
  PoolChange change(context, name, *opened->pool);
  const auto left = opened->pool->done(opened->id, request->recipient, request->count);
  context.reply().integer(static_cast<int64_t>(*left));
  context.replicate_verbatim();
  context.changed(name, "shard.done");
  const bool moved = change.moved();
  change.settle_for(*opened);
  if (moved) serve_workers(context, name, *opened->pool);
}

}  // namespace millrace::module
