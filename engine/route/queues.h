// The queues of the caller, which a dispatch writes to: logs, in the server.
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
  // Whether a queue that the request does not name itself may be written to by whoever sent it, and is kept where the
  // table is. Failure: NoRights, Range.
  virtual Result<void> may_use(const Place<RouteTable>& from, ByteView queue) = 0;
  // How many messages a queue can still take; one that does not exist is made when it is written to. Failure:
  // WrongType, or another reason why it cannot be written to.
  virtual Result<uint64_t> room(const Place<RouteTable>& from, ByteView queue) = 0;
  // Writes one message, and carries out the consequences. The table does not change meanwhile. REQUIRES: there is room
  virtual Offset write(const Place<RouteTable>& from, ByteView queue, ByteView tag, ByteView entry) = 0;

 protected:
  ~Queues() = default;
};

}  // namespace millrace
