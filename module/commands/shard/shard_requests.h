// The pool's commands as plain values: what a client asked for, checked as far as that
// goes without looking at the pool. One parser for each command; none knows the host.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/shard/pool.h"
#include "engine/shard/pool_codec.h"
#include "module/commands/argument_reader.h"

namespace millrace::module {

// SHARD.JOIN pool worker, SHARD.HEARTBEAT pool worker
Result<ByteView> parse_shard_join(Words words);
Result<ByteView> parse_shard_heartbeat(Words words);

// SHARD.LEAVE pool worker [NOW]
struct LeaveRequest {
  ByteView worker;
  bool lets_go = false;
};
Result<LeaveRequest> parse_shard_leave(Words words);

// SHARD.ROUTE pool recipient [BLOCK ms]
// SHARD.PUSH pool recipient payload [payload ...] [BLOCK ms]
struct RouteRequest {
  ByteView recipient;
  Words payloads;  // none: a message that goes another way is counted
  std::optional<uint64_t> block_ms;
};
Result<RouteRequest> parse_shard_route(Words words);
Result<RouteRequest> parse_shard_push(Words words);

// SHARD.DONE pool worker recipient [count]
struct DoneRequest {
  ByteView worker;
  ByteView recipient;
  uint64_t count = 1;
};
Result<DoneRequest> parse_shard_done(Words words);

// SHARD.OWNER pool recipient
Result<ByteView> parse_shard_owner(Words words);

// SHARD.RECIPIENTS pool worker [COUNT n] [CURSOR c]
struct RecipientsRequest {
  ByteView worker;
  uint64_t count = 100;
  uint64_t cursor = 0;
};
Result<RecipientsRequest> parse_shard_recipients(Words words);

// SHARD.PULL pool worker [COUNT n] [BLOCK ms]
struct PullRequest {
  ByteView worker;
  uint64_t count = 1;
  std::optional<uint64_t> block_ms;
};
Result<PullRequest> parse_shard_pull(Words words);

// SHARD.ACK pool worker recipient sequence
struct ShardAckRequest {
  ByteView worker;
  ByteView recipient;
  Offset sequence;
};
Result<ShardAckRequest> parse_shard_ack(Words words);

// SHARD.REBALANCE pool [MAXMOVES n]
Result<uint64_t> parse_shard_rebalance(Words words);

// SHARD.SET pool [STALE ms] [POLICY roundrobin|leastpending]
struct PoolSetRequest {
  std::optional<uint64_t> stale_ms;
  std::optional<AssignmentPolicy> policy;
};
Result<PoolSetRequest> parse_shard_set(Words words);

// SHARD.APPLY pool <CLOCK ms | SEEN worker | SETTLE | POOL bytes | WORKER bytes | RECIPIENTS bytes |
//                   BLOCK header bytes | QUEUE bytes>
struct PoolEffect {
  enum class What { Clock, Seen, Settle, Part };
  What what = What::Clock;
  PoolTime clock;                  // of Clock
  PoolPart part = PoolPart::Pool;  // of Part
  ByteView bytes;                  // of Seen and Part
  ByteView block;                  // of the part that is a block
};
Result<PoolEffect> parse_shard_apply(Words words);

}  // namespace millrace::module
