// `millrace groups` and `millrace redrive`: what groups of logs have not finished, and dead letters sent back.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// Add the subcommands. What they end with goes to `status`, which outlives the tool.
void add_groups_command(CLI::App& tool, int& status);
void add_redrive_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
