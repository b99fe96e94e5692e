// Hashes that cannot be predicted without their key: for tables whose keys come from clients, and for stamps that
// clients must not be able to forge.
#pragma once

#include <array>
#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/siphash.h"

namespace millrace {

// Sixteen random bytes. The caller provides them: the engine has no source of randomness.
using HashKey = std::array<unsigned char, 16>;

// SipHash-2-4, from libsodium.
uint64_t keyed_hash(const HashKey& key, ByteView bytes);

// SipHash-1-3, in half the time: for tables whose hashes no client sees. Not for stamps.
inline uint64_t table_hash(const HashKey& key, ByteView bytes) { return siphash<1, 3>(key.data(), bytes); }

// The same with 128 bits, the low half first: for fingerprints that are stored instead of the bytes.
std::array<uint64_t, 2> keyed_fingerprint(const HashKey& key, ByteView bytes);

// A key for another purpose. The original key cannot be computed from it.
HashKey derived_key(const HashKey& key, ByteView purpose);

}  // namespace millrace
