// The settings: CONFIG GET millrace.* and the host's configuration file. Their table is in module/settings.cc; what a
// family makes of its own is declared there.
#pragma once

#include <span>

#include "engine/blocks/block.h"
#include "module/abi/registration.h"

namespace millrace::module {

// Every setting, for registration.
std::span<const abi::Setting> all_settings();

// As the settings stand now; the same object always.
const BlockLimits& block_limits();

}  // namespace millrace::module
