// Which of a cluster's 16,384 slots a key belongs to: the CRC16 (XMODEM) of the part in
// its first {braces}, if that is not empty, else of the whole key.
#pragma once

#include <cstdint>

#include "engine/base/bytes.h"

namespace millrace {

constexpr uint16_t hash_slot(ByteView key) {
  if (const size_t open = key.find('{'); open != key.npos) {
    const size_t close = key.find('}', open + 1);
    if (close != key.npos && close != open + 1) key = key.substr(open + 1, close - open - 1);
  }
  uint32_t crc = 0;
  for (const char c : key) {
    crc ^= static_cast<uint32_t>(static_cast<uint8_t>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return static_cast<uint16_t>(crc & 0x3fff);
}

}  // namespace millrace
