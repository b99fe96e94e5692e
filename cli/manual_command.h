// `millrace manual`: the manual page, written from the help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/command_tree.h"

namespace millrace::cli {

// Adds the subcommand. What it ends with goes to `status`, which outlives the tool.
void add_manual_command(CLI::App& tool, int& status);

// The page as troff takes it.
std::string manual_page(const CommandInfo& tool, const std::string& version);

}  // namespace millrace::cli
