// Points in time as text: 2026-11-18T13:05:00Z, 2026-11-18, or how long ago: 90s, 10m, 2h.
#pragma once

#include <cstdint>
#include <string_view>

#include "client/error.h"

namespace millrace::cli {

// Unix milliseconds. Without a zone it is UTC. `now` is the current time in the same unit. BadInput says what is wrong.
client::Result<int64_t> parse_moment(std::string_view text, int64_t now);

}  // namespace millrace::cli
