// `millrace`, the command line tool. Every subcommand registers itself; tool.cc only lists them.
#pragma once

namespace millrace::cli {

// Parses the command line, runs the subcommand, and returns the exit status (exit_status.h).
int run_tool(int argc, char** argv);

}  // namespace millrace::cli
