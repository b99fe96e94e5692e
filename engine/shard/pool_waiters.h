// The requests that wait for pools. The caller stores them; operations on pools need them, because a waiting worker
// must not become stale.
#pragma once

#include "engine/operation/place.h"
#include "engine/shard/pool.h"
#include "engine/waiting/waiting_lines.h"

namespace millrace {

// Requests of a worker are in a line with the worker's name. Senders are in this line: no worker has an empty name.
inline constexpr ByteView kSendersLine = "";

class PoolWaiters {
 public:
  // Null if no request waits for the pool at this place.
  virtual const WaitingLines* find(const Place<Pool>& place) const = 0;

 protected:
  ~PoolWaiters() = default;
};

}  // namespace millrace
