// Durations in the syntax of Go, which DSPS's clients and the configuration use: 30s, 1h30m, 1.5s, 250ms, 0.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::gateway {

// nullopt: not a duration, negative, or longer than a hundred years. Fractions of a millisecond are cut off.
std::optional<std::chrono::milliseconds> parse_go_duration(std::string_view text);

// "90s", "250ms": the format of parse_go_duration.
std::string go_duration(std::chrono::milliseconds time);

}  // namespace millrace::gateway
