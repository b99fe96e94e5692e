// The requests that wait for pools. The caller keeps them; operations on pools ask for them, because a worker that
// waits must not become stale.
#pragma once

#include "engine/operation/place.h"
#include "engine/shard/pool.h"
#include "engine/waiting/waiting_lines.h"

namespace millrace {

// Requests of a worker stand in a line with the worker's name. Senders stand in this one: no worker has an empty name.
inline constexpr ByteView kSendersLine = "";

class PoolWaiters {
 public:
  // Null if nobody waits for the pool at this place.
  virtual const WaitingLines* find(const Place<Pool>& place) const = 0;

 protected:
  ~PoolWaiters() = default;
};

}  // namespace millrace
