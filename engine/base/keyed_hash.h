// A hash that nobody can foresee without its key (SipHash-2-4, from libsodium): for tables
// whose keys strangers choose, and for stamps that strangers must not forge.
#pragma once

#include <array>
#include <cstdint>

#include "engine/base/bytes.h"

namespace millrace {

// Sixteen random bytes. Randomness comes from outside: the engine makes none.
using HashKey = std::array<unsigned char, 16>;

uint64_t keyed_hash(const HashKey& key, ByteView bytes);

// The same with 128 bits, the low half first: for fingerprints that stand for the bytes themselves.
std::array<uint64_t, 2> keyed_fingerprint(const HashKey& key, ByteView bytes);

// A key for another purpose, from which the first cannot be told.
HashKey derived_key(const HashKey& key, ByteView purpose);

}  // namespace millrace
