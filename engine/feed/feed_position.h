// Where a feed stands in one of the logs and channels that it watches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/channel/channel_position.h"

namespace millrace {

// In a log, behind the message at an offset: epoch.offset. Without an epoch, an offset of whatever log is there.
struct LogPosition {
  std::optional<LogEpoch> epoch;
  Offset offset;

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

std::string to_text(const LogPosition& position);
// Nothing for bytes that to_text() does not write.
std::optional<LogPosition> read_log_position(ByteView text);

// The key was not there when it was added: all that it will hold is new.
struct BeforeBirth {
  friend bool operator==(BeforeBirth, BeforeBirth) = default;
};

using FeedPosition = std::variant<BeforeBirth, LogPosition, ChannelPosition>;

// Where a key is to be read from, as a client says it. The text of a position may be one in a log and one in a channel:
// what the key holds decides.
struct FeedStart {
  enum class Kind : uint8_t { First, End, After };
  Kind kind = Kind::First;
  std::optional<LogPosition> in_log;          // of After, if it is one
  std::optional<ChannelPosition> in_channel;  // the same
};

// "-", "$", an offset, epoch.offset or clock.mark. Nothing for other bytes.
std::optional<FeedStart> read_feed_start(ByteView text);

}  // namespace millrace
