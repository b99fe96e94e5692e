// `millrace tail`: follows a log as `tail -f` follows a file.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// Adds the subcommand, which stores its exit status in `status`. REQUIRES: `status` outlives the tool.
void add_tail_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
