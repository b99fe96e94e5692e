// The words of the pool's commands become requests of the engine, or the first error: one parser for each command. None
// knows the host, so they are tested and fuzzed without one. The views in a request are those words'.
#pragma once

#include <cstdint>

#include "engine/base/error.h"
#include "engine/shard/pool_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// SHARD.JOIN pool worker, SHARD.HEARTBEAT pool worker
Result<ByteView> parse_shard_join(Words words);
Result<ByteView> parse_shard_heartbeat(Words words);

// SHARD.LEAVE pool worker [NOW]
Result<LeaveRequest> parse_shard_leave(Words words);

// SHARD.ROUTE pool recipient [BLOCK ms]
Result<RouteRequest> parse_shard_route(Words words);

// SHARD.PUSH pool recipient payload [payload ...] [BLOCK ms]
Result<RouteRequest> parse_shard_push(Words words);

// SHARD.DONE pool worker recipient [count]
Result<DoneRequest> parse_shard_done(Words words);

// SHARD.OWNER pool recipient
Result<ByteView> parse_shard_owner(Words words);

// SHARD.RECIPIENTS pool worker [COUNT n] [CURSOR c]
Result<RecipientsRequest> parse_shard_recipients(Words words);

// SHARD.PULL pool worker [COUNT n] [BLOCK ms]
Result<PullRequest> parse_shard_pull(Words words);

// SHARD.ACK pool worker recipient sequence
Result<PoolAckRequest> parse_shard_ack(Words words);

// SHARD.REBALANCE pool [MAXMOVES n]
Result<uint64_t> parse_shard_rebalance(Words words);

// SHARD.SET pool [STALE ms] [POLICY roundrobin|leastpending]
Result<PoolSetRequest> parse_shard_set(Words words);

// SHARD.APPLY pool <CLOCK ms | SEEN worker | SETTLE | POOL bytes | WORKER bytes | RECIPIENTS bytes |
//                   BLOCK header bytes | QUEUE bytes>
Result<PoolEffect> parse_shard_apply(Words words);

}  // namespace millrace::module
