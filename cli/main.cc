// `millrace`, the tool people type. Every subcommand registers itself; here they are only
// listed.
#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "cli/exit_status.h"
#include "cli/load_command.h"
#include "cli/lock_command.h"
#include "cli/protocol_command.h"
#include "cli/tail_command.h"
#include "version.h"

int main(int argc, char** argv) {
  using namespace millrace::cli;
  CLI::App tool("Millrace: message delivery for Redis and Valkey", "millrace");
  tool.set_version_flag("--version", "millrace " MILLRACE_VERSION);
  tool.footer("The server side is a module: redis-server --loadmodule millrace.so");
  int status = kDone;
  add_load_command(tool, status);
  add_protocol_command(tool, status);
  add_tail_command(tool, status);
  add_lock_command(tool, status);

  // A reader of ours that goes away, or a server, is an error to be told, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    tool.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return tool.exit(error) == 0 ? kDone : kWrongCall;
  }
  if (tool.get_subcommands().empty()) std::cout << tool.help();
  return status;
}
