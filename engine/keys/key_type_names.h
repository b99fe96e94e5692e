// What our types are called where people read of them.
#pragma once

#include <array>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/keys/key_names.h"

namespace millrace {

inline constexpr std::array<ByteView, kKeyTypes> kKeyTypeNames = {"log",   "channel", "pool", "lock",
                                                                  "route", "index",   "fact", "suggest"};

}  // namespace millrace
