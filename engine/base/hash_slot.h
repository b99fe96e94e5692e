// Which of a cluster's 16,384 slots a key belongs to: the CRC16 (XMODEM) of the part in
// its first {braces}, if that is not empty, else of the whole key.
#pragma once

#include <array>
#include <cstdint>

#include "engine/base/bytes.h"

namespace millrace {

inline constexpr uint16_t kHashSlots = 16384;

// CRC16 of each byte.
inline constexpr auto kCrc16 = [] {
  std::array<uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
    table[byte] = static_cast<uint16_t>(crc);
  }
  return table;
}();

// The part in its first {braces}: all keys that have the same one are in one slot. Empty if it has none.
constexpr ByteView hash_tag(ByteView key) {
  const size_t open = key.find('{');
  const size_t close = open == key.npos ? key.npos : key.find('}', open + 1);
  return close == key.npos ? ByteView() : key.substr(open + 1, close - open - 1);
}

constexpr uint16_t hash_slot(ByteView key) {
  if (const ByteView tag = hash_tag(key); !tag.empty()) key = tag;
  uint16_t crc = 0;
  for (const char c : key) {
    crc = static_cast<uint16_t>(crc << 8 ^ kCrc16[(crc >> 8 ^ static_cast<uint8_t>(c)) & 0xff]);
  }
  return crc % kHashSlots;
}

}  // namespace millrace
