// Limits that all families share. Parsers of commands and decoders of saved bytes check the same ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// The longest name: of a subscriber, message id, worker, recipient, device, transport, filter or part of a channel.
inline constexpr size_t kMaxNameBytes = 512;

// The longest time to live, expiry or staleness: a hundred years.
inline constexpr uint64_t kMaxDurationMs = 3'155'760'000'000;

// Largest payload, the host's own default limit for a string.
inline constexpr uint64_t kMaxPart = 512 * 1024 * 1024;

// A larger block of messages is never packed: packing it, and unpacking it for a reader, would be a pause.
// The same limit applies to packed bytes from outside.
inline constexpr uint32_t kMostUnpacked = 128 * 1024;

}  // namespace millrace
