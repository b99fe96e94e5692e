// SipHash-c-d (Aumasson and Bernstein, "SipHash: a fast short-input PRF"), inlined where it is used: with few rounds
// and short names, the call of a library costs as much as the rounds.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/base/bytes.h"

namespace millrace {

namespace detail {

struct SipState {
  uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  template <int rounds>
  void take(uint64_t word) {
    v3 ^= word;
    for (int i = 0; i < rounds; ++i) round();
    v0 ^= word;
  }
};

}  // namespace detail

// `key` has 16 bytes.
template <int compression_rounds, int final_rounds>
inline uint64_t siphash(const unsigned char* key, ByteView bytes) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t k0, k1, word;
  std::memcpy(&k0, key, sizeof(k0));
  std::memcpy(&k1, key + sizeof(k0), sizeof(k1));
  detail::SipState state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                         k1 ^ 0x7465646279746573};
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= sizeof(word); left -= sizeof(word), at += sizeof(word)) {
    std::memcpy(&word, at, sizeof(word));
    state.take<compression_rounds>(word);
  }
  // The bytes that are left, and the size in the highest byte.
  word = uint64_t{bytes.size()} << 56;
  if (left >= 4) {  // two reads that overlap
    uint32_t low, high;
    std::memcpy(&low, at, sizeof(low));
    std::memcpy(&high, at + left - sizeof(high), sizeof(high));
    word |= low | uint64_t{high} << 8 * (left - sizeof(high));
  } else if (left > 0) {
    const auto byte = [&](size_t i) { return uint64_t{static_cast<unsigned char>(at[i])} << 8 * i; };
    word |= byte(0) | byte(left / 2) | byte(left - 1);
  }
  state.take<compression_rounds>(word);
  state.v2 ^= 0xff;
  for (int i = 0; i < final_rounds; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace millrace
