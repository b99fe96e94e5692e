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
  // First of all, with the number of messages that follow.
  virtual void begin(uint64_t count) = 0;
  // Its tag is the id, its entry the content. The views live until the call returns.
  virtual void message(const Message& message) = 0;
  // Last of all. The receipt is for all messages given, nothing if there are none; its bytes live until the call
  // returns. `more`: the subscriber has more to fetch.
  virtual void end(std::optional<ByteView> receipt, bool more) = 0;

 protected:
  ~FetchSink() = default;
};

// The same for a read by position.
class PositionSink {
 public:
  virtual void begin(uint64_t count) = 0;
  // The position is that behind the message.
  virtual void message(const ChannelPosition& position, const Message& message) = 0;
  // The position to go on from; nothing if there is no channel. `missed` messages expired before the first one given.
  virtual void end(const std::optional<ChannelPosition>& position, bool more, uint64_t missed) = 0;

 protected:
  ~PositionSink() = default;
};

}  // namespace millrace
