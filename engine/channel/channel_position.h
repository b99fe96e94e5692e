// The position of a reader without a subscription: after the message at a clock.
//
//   42.5be0cd19c0ffee42
//   `' `------'`------'
//   |     |     the life of the channel, 8 hexadecimal digits: a channel that is deleted and made again has another
//   |     the mark of the message at that clock, as in receipts, 8 digits; 0 if there was none to be seen any more
//   the clock
//
// The first two parts of a receipt, 42.5be0cd19, are a position too. It does not contain the channel's life. So a
// position from an earlier channel of the same name is recognised only while the message at its clock exists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/channel/clock.h"

namespace millrace {

struct ChannelPosition {
  Clock clock;
  uint32_t mark = 0;  // 0: not known
  std::optional<uint32_t> life;

  friend bool operator==(const ChannelPosition&, const ChannelPosition&) = default;
};

std::string to_text(const ChannelPosition& position);

// nullopt unless the text was written by to_text() or is the beginning of a receipt.
std::optional<ChannelPosition> read_channel_position(ByteView text);

// Where a read begins.
struct ChannelStart {
  enum class Kind : uint8_t { First, End, After };  // at the first message, after the last one, after a position
  Kind kind = Kind::First;
  ChannelPosition position = {};  // for After
};

// "-", "$" or a position.
std::optional<ChannelStart> read_channel_start(ByteView text);

}  // namespace millrace
