// A whole pool as parts (engine/base/parts.h), and their bytes; docs/formats/shard.md draws them. Names are written as
// size and bytes, numbers as varints.
//
//   pool        := version now stale policy iterator assignments assigned moved failovers
//                  max-attempts forget recipient-max dead forgotten dead-log       since version 2
//   worker      := name state seen looked-at [joined]
//                    seen: 0 never, else the time + 1; looked-at: 0 unless it is leaving
//   recipients  := { name routed assigned next-sequence }*    of the worker before
//   block       := name header                                and the block's bytes beside it
//   queue       := name undelivered log-head
//   trouble     := name delayed-until { end times }*          of a queue: what came back, and whether it is delayed
//   dead        := recipient sequence attempts reason payload     reason: 0, or size + 1 and bytes
//   ids         := { id }*                                    of pushes, the oldest first
//
// The queues follow the workers, worker by worker: first those with payloads to deliver, in the order of their turns,
// then the others. Two pools that had the same operations have the same bytes, except for the division of queues into
// blocks.
#pragma once

#include <utility>

#include "engine/base/parts.h"
#include "engine/shard/pool.h"

namespace millrace {

// Do not change: persisted.
enum class PoolPart : uint8_t { Pool, Worker, Recipients, Block, Queue, Trouble, Dead, Ids };
inline constexpr PartKind kPoolParts[] = {{"POOL"},  {"WORKER"},  {"RECIPIENTS"}, {"BLOCK", true},
                                          {"QUEUE"}, {"TROUBLE"}, {"DEAD"},       {"IDS"}};

// Visits the parts in the order in which they are restored. After each part the restored pool is valid.
void each_part(const Pool& pool, const PartVisit& visit);

// Adds a part from an untrusted source to the pool, after checking all of it. Failure: Corrupt; the pool is unchanged
// then.
Result<void> restore_part(Pool& pool, PoolPart part, ByteView bytes, Buffer block);

class PoolRestorer {
 public:
  explicit PoolRestorer(const HashKey& key) : pool_(key) {}

  Result<void> add(uint8_t kind, ByteView bytes, Buffer block);
  Result<Pool> finish() { return std::move(pool_); }

 private:
  Pool pool_;
};

}  // namespace millrace
