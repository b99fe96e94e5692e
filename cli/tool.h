// `millrace`, the tool people type. Every subcommand registers itself; tool.cc only lists them.
#pragma once

namespace millrace::cli {

// Parses the call, runs what it asks for, and returns the exit status (exit_status.h).
int run_tool(int argc, char** argv);

}  // namespace millrace::cli
