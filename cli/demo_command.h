// `millrace demo`: the traffic of a small shop, as an example to look at.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// Stores the exit status of the command in `status`.
void add_demo_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
