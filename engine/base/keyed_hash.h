// A hash that cannot be predicted without its key (SipHash-2-4, from libsodium): for tables whose keys come from
// clients, and for stamps that clients must not be able to forge.
#pragma once

#include <array>
#include <cstdint>

#include "engine/base/bytes.h"

namespace millrace {

// Sixteen random bytes. The caller provides them: the engine has no source of randomness.
using HashKey = std::array<unsigned char, 16>;

uint64_t keyed_hash(const HashKey& key, ByteView bytes);

// The same with 128 bits, the low half first: for fingerprints that are stored instead of the bytes.
std::array<uint64_t, 2> keyed_fingerprint(const HashKey& key, ByteView bytes);

// A key for another purpose. The original key cannot be computed from it.
HashKey derived_key(const HashKey& key, ByteView purpose);

}  // namespace millrace
