// `millrace demo`: a small shop, so that there is something to look at.
#pragma once

#include <CLI/CLI.hpp>

namespace millrace::cli {

// What the command ended with goes to `status`.
void add_demo_command(CLI::App& tool, int& status);

}  // namespace millrace::cli
