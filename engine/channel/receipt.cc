#include "engine/channel/receipt.h"

#include <charconv>

#include "engine/base/varint.h"
#include "engine/channel/hex_digits.h"

namespace millrace {

namespace {

constexpr size_t kMarkDigits = 8;
constexpr size_t kStampDigits = 16;
constexpr size_t kLongestClock = 17;  // -9007199254740991
constexpr size_t kLongest = kLongestClock + 1 + kMarkDigits + 1 + kStampDigits;

uint64_t stamp(const HashKey& key, ByteView channel, ByteView subscriber, Receipt receipt) {
  // Lengths come first, so that different receipts never have the same bytes.
  std::string message;
  message.reserve(channel.size() + subscriber.size() + 4 * kMaxVarintBytes);
  append_varint(message, channel.size());
  message += channel;
  append_varint(message, subscriber.size());
  message += subscriber;
  append_varint(message, static_cast<uint64_t>(receipt.clock.value() - Clock::kMin));
  append_varint(message, receipt.mark);
  return keyed_hash(key, message);
}

// Writes a point and the number, and returns the end.
char* put_digits(char* to, uint64_t number, size_t digits) {
  *to++ = '.';
  return put_hex_digits(to, number, digits);
}

}  // namespace

std::string issue_receipt(const HashKey& key, ByteView channel, ByteView subscriber, Receipt receipt) {
  char text[kLongest];
  char* at = std::to_chars(text, text + kLongestClock, receipt.clock.value()).ptr;
  at = put_digits(at, receipt.mark, kMarkDigits);
  at = put_digits(at, stamp(key, channel, subscriber, receipt), kStampDigits);
  return {text, at};
}

std::optional<Receipt> read_receipt(const HashKey& key, ByteView channel, ByteView subscriber, ByteView text) {
  if (text.size() > kLongest) return std::nullopt;
  const char* end = text.data() + text.size();
  int64_t clock = 0;
  const auto number = std::from_chars(text.data(), end, clock);
  if (number.ec != std::errc() || clock < Clock::kMin || clock > Clock::kMax || number.ptr == end) return std::nullopt;
  Receipt receipt{Clock(clock)};
  if (std::from_chars(number.ptr + 1, end, receipt.mark, 16).ec != std::errc()) return std::nullopt;
  // Each receipt has exactly one spelling: any other text was altered.
  if (issue_receipt(key, channel, subscriber, receipt) != text) return std::nullopt;
  return receipt;
}

}  // namespace millrace
