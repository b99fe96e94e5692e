// Durations as text: 500ms, 30s, 2m, 1h; a plain number is seconds.
#pragma once

#include <chrono>
#include <string_view>

#include "client/error.h"

namespace millrace::cli {

// From a millisecond to a day. BadInput says what is wrong with anything else.
client::Result<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace millrace::cli
