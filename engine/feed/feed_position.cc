#include "engine/feed/feed_position.h"

#include <charconv>

namespace millrace {

namespace {

constexpr size_t kDigits = 20;  // of the largest number of 64 bits

// A number as to_text() writes it: no sign, no leading zero.
std::optional<uint64_t> read_number(ByteView text, uint64_t max) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number > max) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return number;
}

}  // namespace

std::string to_text(const LogPosition& position) {
  char text[2 * kDigits + 1];
  char* at = text;
  if (position.epoch) {
    at = std::to_chars(at, at + kDigits, position.epoch->value()).ptr;
    *at++ = '.';
  }
  at = std::to_chars(at, at + kDigits, position.offset.value()).ptr;
  return {text, at};
}

std::optional<LogPosition> read_log_position(ByteView text) {
  LogPosition position;
  if (const size_t point = text.find('.'); point != text.npos) {
    const auto epoch = read_number(text.substr(0, point), kMaxEpoch.value());
    if (!epoch) return std::nullopt;
    position.epoch = LogEpoch(*epoch);
    text.remove_prefix(point + 1);
  }
  const auto offset = read_number(text, kMaxOffset.value());
  if (!offset) return std::nullopt;
  position.offset = Offset(*offset);
  return position;
}

std::optional<FeedStart> read_feed_start(ByteView text) {
  FeedStart start;
  if (text == "-") return start;
  start.kind = FeedStart::Kind::End;
  if (text == "$") return start;
  start.kind = FeedStart::Kind::After;
  start.in_log = read_log_position(text);
  start.in_channel = read_channel_position(text);
  return start.in_log || start.in_channel ? std::optional(start) : std::nullopt;
}

}  // namespace millrace
