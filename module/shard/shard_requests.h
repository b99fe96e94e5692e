// The words of the pool's commands become requests of the engine, or the first error: one parser for each command. They
// do not depend on the host, so they are tested and fuzzed without one. The views in a request are borrowed from the
// words.
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
Result<Parsed<RouteRequest>> parse_shard_route(Words words);

// SHARD.PUSH pool recipient payload [payload ...] [BLOCK ms], or [ID id] [BLOCK ms] PAYLOADS payload [payload ...]
Result<Parsed<RouteRequest>> parse_shard_push(Words words);

// SHARD.DONE pool worker recipient [count]
Result<DoneRequest> parse_shard_done(Words words);

// SHARD.OWNER pool recipient
Result<ByteView> parse_shard_owner(Words words);

// SHARD.RECIPIENTS pool worker [COUNT n] [CURSOR c]
Result<RecipientsRequest> parse_shard_recipients(Words words);

// SHARD.PULL pool worker [COUNT n] [BLOCK ms] [WITHATTEMPTS]
Result<PullRequest> parse_shard_pull(Words words);

// SHARD.ACK pool worker recipient sequence
Result<PoolAckRequest> parse_shard_ack(Words words);

// SHARD.NACK pool worker recipient sequence [DELAY ms | DEAD reason]
Result<PoolNackRequest> parse_shard_nack(Words words);

// SHARD.FORGET pool recipient [recipient ...]
Result<Words> parse_shard_forget(Words words);

// SHARD.INFO pool [COUNT n] [CURSOR c]
Result<PoolInfoRequest> parse_shard_info(Words words);

// SHARD.CHECK pool [CURSOR c [COUNT n]]
Result<PoolCheckRequest> parse_shard_check(Words words);

// SHARD.REBALANCE pool [MAXMOVES n]
Result<uint64_t> parse_shard_rebalance(Words words);

// SHARD.SET pool [STALE ms] [POLICY roundrobin|leastpending] [MAXATTEMPTS n] [DEADLETTER log|NONE] [FORGET ms]
//           [RECIPIENTMAX n]
Result<PoolSetRequest> parse_shard_set(Words words);

// SHARD.APPLY pool <CLOCK ms | SEEN worker | SETTLE | FORGET names | LETTERS n | POOL bytes | WORKER bytes |
//                   RECIPIENTS bytes | BLOCK header bytes | QUEUE bytes | TROUBLE bytes | DEAD bytes | IDS bytes>
Result<PoolEffect> parse_shard_apply(Words words);

}  // namespace millrace::module
