// The settings: CONFIG GET millrace.* and the host's configuration file.
#pragma once

#include <span>

#include "engine/channel/channel_operations.h"
#include "engine/log/log_operations.h"
#include "module/abi/registration.h"

namespace millrace::module {

// Every setting, for registration.
std::span<const abi::Setting> all_settings();

// As the settings stand now.
BlockLimits block_limits();
// The same objects always.
const LogLimits& log_limits();
const ChannelLimits& channel_limits();

// How cold blocks of logs are packed.
struct PackingSettings {
  bool on;
  int level;
  uint64_t age_ms;
};
PackingSettings packing_settings();

}  // namespace millrace::module
