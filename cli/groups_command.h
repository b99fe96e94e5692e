// `millrace groups` shows what groups of logs have not finished; `millrace redrive` sends dead letters back.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// Add the subcommands, which store their exit status in `status`. REQUIRES: `status` outlives the tool.
void add_groups_command(CLI::App& tool, int& status);
void add_redrive_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
