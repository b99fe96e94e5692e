#include "engine/base/keyed_hash.h"

#include <sodium/crypto_shorthash.h>
#include <sodium/crypto_shorthash_siphash24.h>

#include <cstring>
#include <string>

namespace millrace {

static_assert(crypto_shorthash_KEYBYTES == sizeof(HashKey) && crypto_shorthash_BYTES == sizeof(uint64_t));

uint64_t keyed_hash(const HashKey& key, ByteView bytes) {
  uint64_t hash;
  crypto_shorthash(reinterpret_cast<unsigned char*>(&hash), reinterpret_cast<const unsigned char*>(bytes.data()),
                   bytes.size(), key.data());
  return hash;
}

static_assert(crypto_shorthash_siphashx24_KEYBYTES == sizeof(HashKey) &&
              crypto_shorthash_siphashx24_BYTES == 2 * sizeof(uint64_t));

std::array<uint64_t, 2> keyed_fingerprint(const HashKey& key, ByteView bytes) {
  std::array<uint64_t, 2> print;
  crypto_shorthash_siphashx24(reinterpret_cast<unsigned char*>(print.data()),
                              reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), key.data());
  return print;
}

HashKey derived_key(const HashKey& key, ByteView purpose) {
  HashKey derived;
  for (const size_t half : {0u, 1u}) {
    const uint64_t hash = keyed_hash(key, std::string(purpose) + static_cast<char>('0' + half));
    std::memcpy(derived.data() + half * sizeof(hash), &hash, sizeof(hash));
  }
  return derived;
}

}  // namespace millrace
