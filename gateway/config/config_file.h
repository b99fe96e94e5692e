// The configuration as a file, in TOML, and as the environment has it.
#pragma once

#include <string>

#include "client/error.h"
#include "gateway/config/config.h"

namespace millrace::gateway {

// Reads the file over what is in `config`. BadInput: one line with the place, "gateway.toml:7:3: …".
client::Result<void> read_config_file(const std::string& path, Config& config);

// MILLRACE_LISTEN, MILLRACE_LIMITS_BODY and so on, over what is in `config`.
client::Result<void> read_environment(Config& config);

// All of it as a file, with what each setting means.
std::string config_text(Config config);

}  // namespace millrace::gateway
