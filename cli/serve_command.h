// `millrace serve`: the gateway.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// Adds the subcommand, which stores its exit status in `status`. REQUIRES: `status` outlives the tool.
void add_serve_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
