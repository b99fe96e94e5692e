// The settings: CONFIG GET millrace.* and the host's configuration file. Their table is in module/settings.cc; values
// that a family derives from its settings are declared in that family.
#pragma once

#include <span>

#include "engine/blocks/block.h"
#include "module/abi/registration.h"

namespace millrace::module {

// Every setting, for registration.
std::span<const abi::Setting> all_settings();

// The limits by the current settings. It always returns the same object.
const BlockLimits& block_limits();

}  // namespace millrace::module
