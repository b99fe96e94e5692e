// Access to the caller's other logs, which a log's operations cannot reach by themselves. A group's dead letters go to
// one.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/log/log_requests.h"
#include "engine/operation/place.h"

namespace millrace {

class OtherLogs {
 public:
  // Whether messages of the log `from` may go to the log `to`; the reason if not.
  virtual Result<void> may_write(const Place<Log>& from, ByteView to) = 0;
  // Writes messages with LogOperations::write and carries out the consequences. False, and nothing is written, if that
  // is not possible now.
  virtual bool write(const Place<Log>& from, ByteView to, const WriteRequest& request) = 0;

 protected:
  ~OtherLogs() = default;
};

}  // namespace millrace
