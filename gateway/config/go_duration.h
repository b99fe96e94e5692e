// Times as Go writes them, which is how DSPS's clients and the configuration write them: 30s, 1h30m, 1.5s, 250ms, 0.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::gateway {

// Nothing: it is none, negative, or longer than a hundred years. What is less than a millisecond is cut off.
std::optional<std::chrono::milliseconds> parse_go_duration(std::string_view text);

// "90s", "250ms": as parse_go_duration takes it.
std::string go_duration(std::chrono::milliseconds time);

}  // namespace millrace::gateway
