// The settings: CONFIG GET millrace.* and the host's configuration file.
#pragma once

#include <span>

#include "engine/blocks/block.h"
#include "module/abi/registration.h"

namespace millrace::module {

// Every setting, for registration.
std::span<const abi::Setting> all_settings();

// As the settings stand now.
BlockLimits block_limits();
uint64_t default_pending_max();
uint64_t default_channel_expire();

// How cold blocks of logs are packed.
struct PackingSettings {
  bool on;
  int level;
  uint64_t age_ms;
};
PackingSettings packing_settings();

}  // namespace millrace::module
