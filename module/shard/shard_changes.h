// The commands that change a pool and never wait, and how each is answered.
#pragma once

#include "module/runtime/run.h"
#include "module/shard/pool_object.h"
#include "module/shard/shard_requests.h"

namespace millrace::module {

struct ShardJoin {
  using Object = Pool;
  static constexpr auto parse = parse_shard_join;
  static auto execute(Place<Pool>& pool, ByteView worker, const Call& call) {
    return pool_operations().join(pool, worker, call);
  }
  static constexpr auto write = write_number;
};

struct ShardHeartbeat {
  using Object = Pool;
  static constexpr auto parse = parse_shard_heartbeat;
  static auto execute(Place<Pool>& pool, ByteView worker, const Call& call) {
    return pool_operations().heartbeat(pool, worker, call);
  }
  static void write(abi::Reply reply, Done) { reply.integer(1); }
};

struct ShardLeave {
  using Object = Pool;
  static constexpr auto parse = parse_shard_leave;
  static auto execute(Place<Pool>& pool, LeaveRequest& request, const Call& call) {
    return pool_operations().leave(pool, request, call);
  }
  static constexpr auto write = write_number;
};

struct ShardAck {
  using Object = Pool;
  static constexpr auto parse = parse_shard_ack;
  static auto execute(Place<Pool>& pool, PoolAckRequest& request, const Call& call) {
    return pool_operations().acknowledge(pool, request, call);
  }
  static constexpr auto write = write_number;
};

struct ShardNack {
  using Object = Pool;
  static constexpr auto parse = parse_shard_nack;
  static auto execute(Place<Pool>& pool, PoolNackRequest& request, const Call& call) {
    return pool_operations().give_back(pool, request, call);
  }
  static constexpr auto write = write_number;
};

struct ShardForget {
  using Object = Pool;
  static constexpr auto parse = parse_shard_forget;
  static auto execute(Place<Pool>& pool, Words recipients, const Call& call) {
    return pool_operations().forget(pool, recipients, call);
  }
  static constexpr auto write = write_number;
};

struct ShardDone {
  using Object = Pool;
  static constexpr auto parse = parse_shard_done;
  static auto execute(Place<Pool>& pool, DoneRequest& request, const Call& call) {
    return pool_operations().done(pool, request, call);
  }
  static constexpr auto write = write_number;
};

struct ShardSet {
  using Object = Pool;
  static constexpr auto parse = parse_shard_set;
  static auto execute(Place<Pool>& pool, PoolSetRequest& request, const Call& call) {
    return pool_operations().set(pool, request, call);
  }
  static constexpr auto write = write_ok;
};

struct ShardRebalance {
  using Object = Pool;
  static constexpr auto parse = parse_shard_rebalance;
  static auto execute(Place<Pool>& pool, uint64_t max_moves, const Call& call) {
    return pool_operations().rebalance(pool, max_moves, call);
  }
  static constexpr auto write = write_number;
};

// SHARD.APPLY is not for users: a master sends it to its replicas, and a server writes it to its AOF. But any client
// may send it, so it is documented, and checks its bytes as carefully as RESTORE does.
struct ShardApply {
  using Object = Pool;
  static constexpr auto parse = parse_shard_apply;
  static auto execute(Place<Pool>& pool, PoolEffect& effect, const Call& call) {
    return pool_operations().apply(pool, effect, call);
  }
  static constexpr auto write = write_ok;
  static constexpr bool kApplies = true;
};

}  // namespace millrace::module
