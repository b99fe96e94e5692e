// Where a fetch puts the messages it finds, one after the other and without copying them.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/base/message.h"
#include "engine/channel/channel_position.h"

namespace millrace {

class FetchSink {
 public:
  // The first call, with the number of messages that follow.
  virtual void begin(uint64_t count) = 0;
  // Its tag is the id, its entry the content. The views are valid until the call returns.
  virtual void message(const Message& message) = 0;
  // The last call. The receipt is for all messages given, nullopt if there are none; its bytes are valid until the call
  // returns. `more`: the subscriber has more to fetch.
  virtual void end(std::optional<ByteView> receipt, bool more) = 0;

 protected:
  ~FetchSink() = default;
};

// The same for a read by position.
class PositionSink {
 public:
  virtual void begin(uint64_t count) = 0;
  // The position is the one after the message.
  virtual void message(const ChannelPosition& position, const Message& message) = 0;
  // The position to continue from; nullopt if there is no channel. `missed` messages before the first one given had
  // expired.
  virtual void end(const std::optional<ChannelPosition>& position, bool more, uint64_t missed) = 0;

 protected:
  ~PositionSink() = default;
};

}  // namespace millrace
