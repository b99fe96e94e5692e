// The options that say which server is meant, the same for every subcommand that talks to
// one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "client/connection.h"

namespace millrace::cli {

struct ServerOptions {
  std::string to = "127.0.0.1:6379";
  client::Login login;

  // Adds --to, --user and --database. REQUIRES: this lives as long as the command.
  void add_to(CLI::App& command);

  // What a connection needs, once the words are parsed; BadInput if --to is no address. The
  // password comes from the environment (REDISCLI_AUTH, as for redis-cli): a command line
  // can be read by everybody on the machine.
  client::Result<client::ConnectionOptions> connection() const;
};

}  // namespace millrace::cli
