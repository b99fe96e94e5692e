// `millrace lock`: runs a command under a lock.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace millrace::cli {

// The command to run: the words after the first -- of a `millrace lock`. All words except the first are removed from
// argv, because the parser would split "[a,b]". Empty if there is no --.
std::vector<std::string> take_locked_command(int& argc, char** argv);

// Adds the subcommand, which runs `locked` and stores its exit status in `status`. REQUIRES: `status` outlives the
// tool.
void add_lock_command(CLI::App& tool, std::vector<std::string> locked, int& status);

}  // namespace millrace::cli
