// The configuration as a TOML file and as environment variables.
#pragma once

#include <string>

#include "client/error.h"
#include "gateway/config/config.h"

namespace millrace::gateway {

// Reads the file; its settings override those in `config`. BadInput: one line with the place, "gateway.toml:7:3: …".
client::Result<void> read_config_file(const std::string& path, Config& config);

// Reads MILLRACE_LISTEN, MILLRACE_LIMITS_BODY and so on; they override the settings in `config`.
client::Result<void> read_environment(Config& config);

// The whole configuration as a file, with an explanation of each setting.
std::string config_text(Config config);

}  // namespace millrace::gateway
