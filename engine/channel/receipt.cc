#include "engine/channel/receipt.h"

#include <charconv>

#include "engine/base/varint.h"

namespace millrace {

namespace {

constexpr size_t kDigits = 16;
constexpr size_t kLongestClock = 17;  // -9007199254740991

uint64_t stamp(const HashKey& key, ByteView channel, ByteView subscriber, Clock clock) {
  // Lengths first: no two triples are the same bytes.
  std::string message;
  message.reserve(channel.size() + subscriber.size() + 3 * kMaxVarintBytes);
  append_varint(message, channel.size());
  message += channel;
  append_varint(message, subscriber.size());
  message += subscriber;
  append_varint(message, static_cast<uint64_t>(clock.value() - Clock::kMin));
  return keyed_hash(key, message);
}

}  // namespace

std::string issue_receipt(const HashKey& key, ByteView channel, ByteView subscriber, Clock clock) {
  char text[kLongestClock + 1 + kDigits];
  char* at = std::to_chars(text, text + kLongestClock, clock.value()).ptr;
  *at++ = '.';
  uint64_t left = stamp(key, channel, subscriber, clock);
  for (size_t i = kDigits; i-- > 0; left >>= 4) at[i] = "0123456789abcdef"[left & 15];
  return {text, at + kDigits};
}

std::optional<Clock> read_receipt(const HashKey& key, ByteView channel, ByteView subscriber, ByteView receipt) {
  if (receipt.size() > kLongestClock + 1 + kDigits) return std::nullopt;
  const char* end = receipt.data() + receipt.size();
  int64_t value;
  const auto parsed = std::from_chars(receipt.data(), end, value);
  if (parsed.ec != std::errc() || value < Clock::kMin || value > Clock::kMax) return std::nullopt;
  const Clock clock(value);
  // There is one way to write each receipt: what was not written that way was altered.
  if (issue_receipt(key, channel, subscriber, clock) != receipt) return std::nullopt;
  return clock;
}

}  // namespace millrace
