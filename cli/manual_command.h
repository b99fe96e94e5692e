// `millrace manual`: the manual page, written from the help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/command_tree.h"

namespace millrace::cli {

// Adds the subcommand, which stores its exit status in `status`. REQUIRES: `status` outlives the tool.
void add_manual_command(CLI::App& tool, int& status);

// The page in troff format.
std::string manual_page(const CommandInfo& tool, const std::string& version);

}  // namespace millrace::cli
