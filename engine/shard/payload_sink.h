// Receives the payloads that a pull delivers, one after the other, without copying them.
#pragma once

#include <cstdint>

#include "engine/shard/pool.h"

namespace millrace {

class PayloadSink {
 public:
  // Called first.
  virtual void begin() = 0;
  // The views are valid until the call returns.
  virtual void payload(const Pool::PulledPayload& pulled) = 0;
  // Called last, with the number of payloads.
  virtual void end(uint64_t payloads) = 0;

 protected:
  ~PayloadSink() = default;
};

}  // namespace millrace
