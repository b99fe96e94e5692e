// `millrace completion`: scripts that make a shell complete our commands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/command_tree.h"

namespace millrace::cli {

// Adds the subcommand, which stores its exit status in `status`. REQUIRES: `status` outlives the tool.
void add_completion_command(CLI::App& tool, int& status);

// Scripts for the tool described.
std::string bash_completion(const CommandInfo& tool);
std::string zsh_completion(const CommandInfo& tool);

}  // namespace millrace::cli
