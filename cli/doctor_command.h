// `millrace doctor`: what is wrong with a server, and what to do.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// Adds the subcommand. What it ends with goes to `status`, which outlives the tool.
void add_doctor_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
