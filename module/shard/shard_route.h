// SHARD.ROUTE counts, and SHARD.PUSH queues, a message for its recipient's worker. Both can wait for a worker.
#pragma once

#include "module/runtime/run.h"
#include "module/shard/pool_object.h"
#include "module/shard/shard_requests.h"

namespace millrace::module {

// Shared by both commands.
struct ShardSending {
  using Object = Pool;

  static bool changes(const RouteRequest&) { return true; }
  static Wait start_afresh(RouteRequest&) { return {.line = kSendersLine}; }
  static void answer_timeout(abi::Reply reply, const Pool*, const RouteRequest&) { reply.error(no_workers()); }

  // [worker, pending]
  static void write(abi::Reply reply, const Sent& sent) {
    reply.array(2);
    reply.bytes(sent.worker);
    reply.integer(static_cast<int64_t>(sent.pending));
  }
};

struct ShardRoute : ShardSending {
  static constexpr auto parse = parse_shard_route;
  static auto execute(Place<Pool>& pool, RouteRequest& request, const Call& call) {
    return pool_operations().route(pool, request, call);
  }
};

struct ShardPush : ShardSending {
  static constexpr auto parse = parse_shard_push;
  static auto execute(Place<Pool>& pool, RouteRequest& request, const Call& call) {
    return pool_operations().push(pool, request, call);
  }
};

}  // namespace millrace::module
