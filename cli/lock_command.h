// `millrace lock`: runs a command under a lock.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace millrace::cli {

// The command to run: what stands behind the first -- of a `millrace lock`. All but its first
// word are taken out of argv, because the parser would take "[a,b]" apart. Nothing if there is
// no --.
std::vector<std::string> take_locked_command(int& argc, char** argv);

// Adds the subcommand, to run this. What it ends with goes to `status`, which outlives the
// tool.
void add_lock_command(CLI::App& tool, std::vector<std::string> locked, int& status);

}  // namespace millrace::cli
