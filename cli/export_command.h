// `millrace export`: what is in logs, channels and hashes as lines of text.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// Adds the subcommand. What it ends with goes to `status`, which outlives the tool.
void add_export_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
