#include "module/commands/shard/delivery.h"
#include "module/commands/shard/pool_upkeep.h"
#include "module/commands/shard/routing.h"
#include "module/commands/shard/shard_commands.h"
#include "module/commands/shard/shard_requests.h"
#include "module/commands/shard/waiting_workers.h"

namespace millrace::module {

namespace {

void route(abi::Context context, abi::StringRef name, const Result<RouteRequest>& request, const char* event) {
  if (!request) return context.reply().error(request.error());
  auto key = PoolKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  Pool* pool = key->get();
  if (pool == nullptr || pool->working().empty()) {
    const bool waits = request->block_ms && !context.must_answer_at_once();
    return waits ? wait_for_worker(context, name, *request) : context.reply().error(no_workers());
  }
  move_time(context, name, *pool);
  PoolChange change(context, name, *pool);
  const auto routed = route_or_push(*pool, request->recipient, request->payloads);
  if (!routed) return context.reply().error(routed.error());
  abi::Reply reply = context.reply();
  write_routed(reply, *pool, *routed);
  context.replicate_verbatim();
  context.changed(name, event);
  const bool moved = change.moved();
  change.settle_for(routed->worker);
  if (moved) {
    serve_workers(context, name, *pool);
  } else if (!request->payloads.empty()) {
    serve_worker(context, name, *pool, routed->worker);
  }
}

}  // namespace

void shard_route(abi::Context context, abi::Arguments arguments) {
  route(context, arguments.string(1), parse_shard_route(arguments.views(2)), "shard.route");
}

void shard_push(abi::Context context, abi::Arguments arguments) {
  route(context, arguments.string(1), parse_shard_push(arguments.views(2)), "shard.push");
}

void shard_owner(abi::Context context, abi::Arguments arguments) {
  const auto recipient = parse_shard_owner(arguments.views(2));
  if (!recipient) return context.reply().error(recipient.error());
  const auto key = PoolKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  const auto owner = key->get() == nullptr ? std::nullopt : key->get()->owner(*recipient);
  if (!owner) return context.reply().null();
  context.reply().bytes(key->get()->worker(*owner).name);
}

}  // namespace millrace::module
