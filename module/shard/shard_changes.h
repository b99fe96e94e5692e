// The commands that change a pool and never wait: how each is answered.
#pragma once

#include "module/runtime/run.h"
#include "module/shard/pool_object.h"
#include "module/shard/shard_requests.h"

namespace millrace::module {

struct ShardJoin {
  using Object = Pool;
  static constexpr auto parse = parse_shard_join;
  static Consequences execute(Place<Pool>& pool, ByteView worker, const Call& call, abi::Reply reply) {
    return answer_number(reply, pool_operations().join(pool, worker, call));
  }
};

struct ShardHeartbeat {
  using Object = Pool;
  static constexpr auto parse = parse_shard_heartbeat;
  static Consequences execute(Place<Pool>& pool, ByteView worker, const Call& call, abi::Reply reply) {
    return answer(reply, pool_operations().heartbeat(pool, worker, call), [&](Done) { reply.integer(1); });
  }
};

struct ShardLeave {
  using Object = Pool;
  static constexpr auto parse = parse_shard_leave;
  static Consequences execute(Place<Pool>& pool, LeaveRequest& request, const Call& call, abi::Reply reply) {
    return answer_number(reply, pool_operations().leave(pool, request, call));
  }
};

struct ShardAck {
  using Object = Pool;
  static constexpr auto parse = parse_shard_ack;
  static Consequences execute(Place<Pool>& pool, PoolAckRequest& request, const Call& call, abi::Reply reply) {
    return answer_number(reply, pool_operations().acknowledge(pool, request, call));
  }
};

struct ShardDone {
  using Object = Pool;
  static constexpr auto parse = parse_shard_done;
  static Consequences execute(Place<Pool>& pool, DoneRequest& request, const Call& call, abi::Reply reply) {
    return answer_number(reply, pool_operations().done(pool, request, call));
  }
};

struct ShardSet {
  using Object = Pool;
  static constexpr auto parse = parse_shard_set;
  static Consequences execute(Place<Pool>& pool, PoolSetRequest& request, const Call& call, abi::Reply reply) {
    return answer_ok(reply, pool_operations().set(pool, request, call));
  }
};

struct ShardRebalance {
  using Object = Pool;
  static constexpr auto parse = parse_shard_rebalance;
  static Consequences execute(Place<Pool>& pool, uint64_t max_moves, const Call& call, abi::Reply reply) {
    return answer_number(reply, pool_operations().rebalance(pool, max_moves, call));
  }
};

// SHARD.APPLY is not for people: it is what a master writes to its replicas and a server to its AOF. It is documented,
// and as careful with its bytes as RESTORE, because anybody may send it.
struct ShardApply {
  using Object = Pool;
  static constexpr auto parse = parse_shard_apply;
  static Consequences execute(Place<Pool>& pool, PoolEffect& effect, const Call& call, abi::Reply reply) {
    return answer_applied(reply, pool_operations().apply(pool, effect, call));
  }
};

}  // namespace millrace::module
