// The bytes of a block made smaller, and back (zstd; docs/why.md has the figures it was
// chosen by). What the library allocates for itself, some 300 KB, is `new` like all memory
// of the engine. For the main thread alone.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/buffer.h"

namespace millrace {

// More than this is never packed: packing it, and unpacking it for whoever reads, would
// be a pause. It is also all that packed bytes from outside may claim to hold.
inline constexpr uint32_t kMostUnpacked = 128 * 1024;

inline constexpr int kLeastPackLevel = 1;
inline constexpr int kMostPackLevel = 9;  // beyond it a block takes longer than a slice of time

// The packed form, or nothing if it would not save at least a sixteenth.
// REQUIRES: bytes.size() <= kMostUnpacked
std::optional<Buffer> pack(ByteView bytes, int level);

// Unpacks bytes that nobody has vouched for to exactly `size` bytes at `to`; false, with
// whatever in them, if that is not what they are. A checksum tells.
bool unpack(ByteView packed, char* to, uint32_t size);

}  // namespace millrace
