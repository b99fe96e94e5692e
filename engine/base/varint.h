// Unsigned integers in 1 to 10 bytes, seven bits per byte, least significant first; the top bit says that more bytes
// follow (LEB128).
//
//   5      -> 05
//   300    -> ac 02
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace millrace {

inline constexpr size_t kMaxVarintBytes = 10;

constexpr size_t varint_size(uint64_t value) {
  size_t bytes = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++bytes;
  }
  return bytes;
}

// Writes `value` at `to` and returns the byte after it.
// REQUIRES: varint_size(value) bytes of room.
inline char* put_varint(char* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<char>(value);
  return to;
}

inline void append_varint(std::string& to, uint64_t value) {
  char bytes[kMaxVarintBytes];
  const auto size = static_cast<size_t>(put_varint(bytes, value) - bytes);
  if (size > sizeof bytes) std::unreachable();  // g++ 14 cannot know, and would warn of reading beyond the array
  to.append(bytes, size);
}

// Reads bytes that we wrote ourselves or have validated before.
inline const char* get_varint_unchecked(const char* from, uint64_t& value) {
  auto byte = static_cast<uint8_t>(*from++);
  value = byte & 0x7f;
  for (int shift = 7; byte & 0x80; shift += 7) {
    byte = static_cast<uint8_t>(*from++);
    value |= uint64_t{byte & 0x7fu} << shift;
  }
  return from;
}

// Reads untrusted bytes. Returns the byte after the number, or nullptr if [from, end) ends inside it or it does not fit
// 64 bits.
inline const char* get_varint(const char* from, const char* end, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 70 && from != end; shift += 7) {
    auto byte = static_cast<uint8_t>(*from++);
    if (shift == 63 && byte > 1) return nullptr;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return from;
  }
  return nullptr;
}

}  // namespace millrace
