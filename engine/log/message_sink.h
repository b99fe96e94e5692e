// Where a read puts the messages it finds, one after the other and without copying them.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/message.h"
#include "engine/log/log_bounds.h"

namespace millrace {

class MessageSink {
 public:
  // The first call. `entries` is how many evicted offsets and messages follow; nullopt if that is known only at end().
  // If a read by tag stops early, `last` is the last offset that it has looked at; for a read backwards, `first` is the
  // lowest one.
  virtual void begin(const LogBounds& bounds, std::optional<uint64_t> entries) = 0;
  // `count` of the requested offsets have been evicted, or their messages were deleted. Evicted ones come before all
  // messages.
  virtual void evicted(uint64_t count) = 0;
  // The views are valid until the call returns. `attempts` is 0 unless they were asked for.
  virtual void message(const Message& message, uint32_t attempts) = 0;
  // The only call for a read with is_framed.
  virtual void frame(ByteView /*frame*/) {}
  // The last call, with the number of entries.
  virtual void end(uint64_t entries) = 0;

 protected:
  ~MessageSink() = default;
};

}  // namespace millrace
