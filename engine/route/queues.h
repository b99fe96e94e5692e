// The queues that a dispatch writes to. The caller provides them; in the server they are logs.
#pragma once

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/operation/place.h"
#include "engine/route/route_table.h"

namespace millrace {

class Queues {
 public:
  // Checks a queue whose name does not come from the request itself: the sender must have the right to write to it, and
  // it must be in the same hash slot as the table. Failure: NoRights, Range.
  virtual Result<void> may_use(const Place<RouteTable>& from, ByteView queue) = 0;
  // How many more messages a queue can take. A queue that does not exist is created by the first write. Failure:
  // WrongType, or another reason why it cannot be written to.
  virtual Result<uint64_t> room(const Place<RouteTable>& from, ByteView queue) = 0;
  // Writes one message, and carries out the consequences. The table does not change during the call. REQUIRES: there is
  // room.
  virtual Offset write(const Place<RouteTable>& from, ByteView queue, ByteView tag, ByteView entry) = 0;

 protected:
  ~Queues() = default;
};

}  // namespace millrace
