// Where a read puts the messages it finds, one after the other and without copying them.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/message.h"
#include "engine/log/log_bounds.h"

namespace millrace {

class MessageSink {
 public:
  // First of all. `entries` is how many evicted offsets and messages follow; nothing if only end() can tell. Of a read
  // by tag that ended before the end of the log, `last` is the last offset that it has looked at; backwards, `first`
  // is.
  virtual void begin(const LogBounds& bounds, std::optional<uint64_t> entries) = 0;
  // So many offsets that were asked for have been evicted, or their messages were deleted. Evicted ones come before all
  // messages.
  virtual void evicted(uint64_t count) = 0;
  // The views live until the call returns. `attempts` is 0 unless they were asked for.
  virtual void message(const Message& message, uint32_t attempts) = 0;
  // Of a read with is_framed the only call.
  virtual void frame(ByteView /*frame*/) {}
  // Last of all, with the number of entries.
  virtual void end(uint64_t entries) = 0;

 protected:
  ~MessageSink() = default;
};

}  // namespace millrace
