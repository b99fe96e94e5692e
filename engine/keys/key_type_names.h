// The names of the Millrace types in MILLRACE.KEYS.
#pragma once

#include <array>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/keys/key_names.h"

namespace millrace {

inline constexpr std::array<ByteView, kKeyTypes> kKeyTypeNames = {"log",   "channel", "pool", "lock",
                                                                  "route", "index",   "fact", "suggest"};

}  // namespace millrace
