// Payloads that a pool has given up, and where they go: a log, as a message whose entry is the payload and whose tag
// says why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/operation/place.h"

namespace millrace {

class Pool;

struct DeadPayload {
  std::string recipient;
  Offset sequence;
  uint64_t attempts = 0;
  std::optional<std::string> reason;  // given by a worker; nullopt: it came back too often
  std::string payload;

  friend bool operator==(const DeadPayload&, const DeadPayload&) = default;
};

// {"why":"attempts","attempts":3,"sequence":71,"recipient":"ann","pool":"mail"}, or with a worker's reason
// {"why":"dead", ... ,"reason":"no such address"}: as for a group's dead letters. The result is valid JSON whatever
// bytes the names hold.
std::string tag_of_dead_payload(const DeadPayload& dead, ByteView pool);

// The logs that dead payloads go to. Implemented where the operations on logs are.
class DeadPayloadLogs {
 public:
  // Whether the pool's dead payloads may go to this log. Failure: the key is not a log, or in another slot, or the user
  // of this call may not write to it.
  virtual Result<void> may_write(const Place<Pool>& from, ByteView log) = 0;
  // Appends one. False if that is not possible now.
  virtual bool write(const Place<Pool>& from, ByteView log, ByteView tag, ByteView payload) = 0;

 protected:
  ~DeadPayloadLogs() = default;
};

}  // namespace millrace
