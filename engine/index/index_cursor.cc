#include "engine/index/index_cursor.h"

#include "engine/base/decoder.h"
#include "engine/base/quoted.h"
#include "engine/index/index.h"

namespace millrace {

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<std::string> from_hex(ByteView text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace

std::string IndexCursor::text() const {
  std::string bytes;
  append_varint(bytes, index);
  append_varint(bytes, (order ? uint64_t{order->value()} << 1 : 0) | (is_reversed ? 1 : 0));
  bytes += entry;
  std::string hex;
  for (const char byte : bytes) {
    hex += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4];
    hex += "0123456789abcdef"[static_cast<uint8_t>(byte) & 15];
  }
  return hex;
}

Result<IndexCursor> IndexCursor::parse(ByteView text) {
  const auto bytes = from_hex(text);
  Decoder in(bytes ? ByteView(*bytes) : ByteView());
  const uint64_t index = in.number();
  const uint64_t head = in.number();
  const ByteView entry = in.rest();
  if (!bytes || !in.ok() || index > UINT32_MAX || head >> 1 >= UINT32_MAX || entry.size() < kEntryIdBytes) {
    return fail(ErrorCode::Range, "invalid cursor " + quoted(text) + ": expected one that IDX.FIND returned");
  }
  IndexCursor cursor;
  cursor.index = static_cast<uint32_t>(index);
  if (head >> 1 != 0) cursor.order = OrderId(static_cast<uint32_t>(head >> 1));
  cursor.is_reversed = (head & 1) != 0;
  cursor.entry = entry;
  return cursor;
}

}  // namespace millrace
