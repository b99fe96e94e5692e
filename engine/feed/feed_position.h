// The position of a feed in a log or channel that it watches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/channel/channel_position.h"

namespace millrace {

// In a log, after the message at an offset: epoch.offset. Without an epoch, the offset is valid for any log with that
// key.
struct LogPosition {
  std::optional<LogEpoch> epoch;
  Offset offset;

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

std::string to_text(const LogPosition& position);
// nullopt if the text was not written by to_text().
std::optional<LogPosition> read_log_position(ByteView text);

// The key did not exist when it was added: all its messages will be new.
struct BeforeBirth {
  friend bool operator==(BeforeBirth, BeforeBirth) = default;
};

using FeedPosition = std::variant<BeforeBirth, LogPosition, ChannelPosition>;

// Where to start reading a key, as given by a client. The text of a position may be valid both for a log and for a
// channel: the type of the key decides.
struct FeedStart {
  enum class Kind : uint8_t { First, End, After };
  Kind kind = Kind::First;
  std::optional<LogPosition> in_log;          // for After, if the text is such a position
  std::optional<ChannelPosition> in_channel;  // the same
};

// "-", "$", an offset, epoch.offset or clock.mark; nullopt for any other text.
std::optional<FeedStart> read_feed_start(ByteView text);

}  // namespace millrace
