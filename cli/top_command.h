// `millrace top`: what moves in a server, live.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// Adds the subcommand. What it ends with goes to `status`, which outlives the tool.
void add_top_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
