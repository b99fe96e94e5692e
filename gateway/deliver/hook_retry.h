// When a delivery that failed is tried again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace millrace::gateway {

// The pause after this many attempts. It doubles with each attempt, and is then a random time between half and all of
// that, so that deliveries that failed together are not repeated together. `random` is any number.
std::chrono::milliseconds back_off_after(unsigned long attempts, std::chrono::milliseconds first,
                                         std::chrono::milliseconds longest, uint64_t random);

// A Retry-After header: seconds, or a date. nullopt: invalid. At most a day. `now` is Unix time in seconds.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view text, int64_t now);

}  // namespace millrace::gateway
