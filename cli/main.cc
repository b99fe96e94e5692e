// `millrace`, the tool people type. Every subcommand registers itself; here they are only
// listed.
#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/exit_status.h"
#include "version.h"

int main(int argc, char** argv) {
  using namespace millrace::cli;
  CLI::App tool("Millrace: message delivery for Redis and Valkey", "millrace");
  tool.set_version_flag("--version", "millrace " MILLRACE_VERSION);
  tool.footer("The server side is a module: redis-server --loadmodule millrace.so");
  int status = kDone;

  try {
    tool.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return tool.exit(error) == 0 ? kDone : kWrongCall;
  }
  if (tool.get_subcommands().empty()) std::cout << tool.help();
  return status;
}
