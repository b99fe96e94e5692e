#include "cli/tool.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "cli/command_tree.h"
#include "cli/completion_command.h"
#include "cli/copy_command.h"
#include "cli/deliver_command.h"
#include "cli/demo_command.h"
#include "cli/doctor_command.h"
#include "cli/exit_status.h"
#include "cli/export_command.h"
#include "cli/groups_command.h"
#include "cli/load_command.h"
#include "cli/lock_command.h"
#include "cli/manual_command.h"
#include "cli/protocol_command.h"
#include "cli/serve_command.h"
#include "cli/server_options.h"
#include "cli/tail_command.h"
#include "cli/top_command.h"
#include "version.h"

namespace millrace::cli {

namespace {

constexpr const char* kToolBeginning = R"(millrace COMMAND --help tells everything about a command.

The server side is a module: redis-server --loadmodule millrace.so. load, protocol and
lock work with any server.

)";

constexpr const char* kToolEnd = R"(

Exit status:
  0    everything asked for was done
  1    it ran to its end, but something in it failed
  2    wrong call: an option, a template, or a file that cannot be read
  3    the server cannot be reached, or went away and did not come back
  4    a file or the output cannot be written
  5    load: the server came back without something that it had confirmed
  130  Ctrl-C ended it before it was done
lock passes on what its command ended with, and has two of its own: 75 somebody else holds
the lock, 76 it was lost)";

}  // namespace

int run_tool(int argc, char** argv) {
  CLI::App tool("Message delivery for Redis and Valkey", "millrace");
  tool.set_help_flag("-h,--help", "show this");
  tool.set_version_flag("--version", "millrace " MILLRACE_VERSION)->description("show the version");
  tool.footer(std::string(kToolBeginning) + kAddressHelp + kToolEnd);
  // Subcommands inherit this setting when they are added.
  tool.formatter_fn([](const CLI::App* app, const std::string&, CLI::AppFormatMode) {
    return help_page(describe(*app), app->get_parent() == nullptr ? "" : app->get_parent()->get_name() + " ");
  });
  // Every error message of a command begins with its name, also for errors in its options.
  tool.failure_message([](const CLI::App* app, const CLI::Error& error) {
    std::string name = app->get_name();
    for (const CLI::App* command : app->get_subcommands()) name += ' ' + command->get_name();
    return name + ": " + error.what() + "\nRun with --help for more information.\n";
  });
  int status = kDone;
  add_load_command(tool, status);
  add_protocol_command(tool, status);
  add_export_command(tool, status);
  add_copy_command(tool, status);
  add_tail_command(tool, status);
  add_groups_command(tool, status);
  add_redrive_command(tool, status);
  add_top_command(tool, status);
  add_doctor_command(tool, status);
  add_lock_command(tool, take_locked_command(argc, argv), status);
  add_serve_command(tool, status);
  add_deliver_command(tool, status);
  add_demo_command(tool, status);
  add_completion_command(tool, status);
  add_manual_command(tool, status);

  // If the reader of our output or a server goes away, that is an error to report, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    tool.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return tool.exit(error) == 0 ? kDone : kWrongCall;
  }
  if (tool.get_subcommands().empty()) std::cout << tool.help();
  return status;
}

}  // namespace millrace::cli
