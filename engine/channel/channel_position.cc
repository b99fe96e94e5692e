#include "engine/channel/channel_position.h"

#include <charconv>

#include "engine/channel/hex_digits.h"

namespace millrace {

namespace {

constexpr size_t kDigits = 8;        // of a mark, and of a life
constexpr size_t kClockDigits = 17;  // -9007199254740991

// Eight digits.
std::optional<uint32_t> read_digits(ByteView text) {
  uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string to_text(const ChannelPosition& position) {
  char text[kClockDigits + 1 + 2 * kDigits];
  char* at = std::to_chars(text, text + kClockDigits, position.clock.value()).ptr;
  *at++ = '.';
  at = put_hex_digits(at, position.mark, kDigits);
  if (position.life) at = put_hex_digits(at, *position.life, kDigits);
  return {text, at};
}

std::optional<ChannelPosition> read_channel_position(ByteView text) {
  const size_t point = text.find('.');
  if (point == text.npos || point > kClockDigits) return std::nullopt;
  const ByteView digits = text.substr(point + 1);
  if (digits.size() != kDigits && digits.size() != 2 * kDigits) return std::nullopt;
  int64_t clock = 0;
  const auto number = std::from_chars(text.data(), text.data() + point, clock);
  if (number.ec != std::errc() || number.ptr != text.data() + point) return std::nullopt;
  if (clock < Clock::kMin || clock > Clock::kMax) return std::nullopt;
  const auto mark = read_digits(digits.substr(0, kDigits));
  if (!mark) return std::nullopt;
  ChannelPosition position{.clock = Clock(clock), .mark = *mark, .life = std::nullopt};
  if (digits.size() == 2 * kDigits) position.life = read_digits(digits.substr(kDigits));
  // Each position has exactly one spelling.
  return to_text(position) == text ? std::optional(position) : std::nullopt;
}

std::optional<ChannelStart> read_channel_start(ByteView text) {
  if (text == "-") return ChannelStart{.kind = ChannelStart::Kind::First};
  if (text == "$") return ChannelStart{.kind = ChannelStart::Kind::End};
  const auto position = read_channel_position(text);
  if (!position) return std::nullopt;
  return ChannelStart{.kind = ChannelStart::Kind::After, .position = *position};
}

}  // namespace millrace
