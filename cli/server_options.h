// The options for the server to connect to, the same for every subcommand that uses one.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client/connection.h"

namespace millrace::cli {

struct ServerOptions {
  std::vector<std::string> to;
  std::string user;
  std::optional<unsigned> database;
  client::TlsOptions tls;
  bool is_insecure = false;

  // Adds --to, --user, --database and the options for TLS. `what` describes --to. REQUIRES: this object exists as long
  // as the command.
  void add_to(CLI::App& command, const std::string& what);

  // The connection options, once the command line is parsed. Without --to, the server is that of VALKEY_URL or
  // REDIS_URL, or the local one. A password that is not in the address comes from VALKEYCLI_AUTH or REDISCLI_AUTH,
  // because every user of the machine can read a command line. BadInput: an invalid address, or options that contradict
  // it.
  client::Result<client::ConnectionOptions> connection() const;
  // The same for a command that takes several --to. Also BadInput: one of them is given twice.
  client::Result<std::vector<client::ConnectionOptions>> connections() const;

 private:
  client::Result<client::ConnectionOptions> connection_to(const std::string& address) const;
  client::Result<void> add_login(client::Login& login) const;
  client::Result<void> add_tls(client::ConnectionOptions& server) const;
};

// Adds --connect-for, in seconds, to a command that can wait for a server which has not started yet. REQUIRES:
// `seconds` exists as long as the command.
void add_connect_for(CLI::App& command, unsigned& seconds);

// The part of the tool's help about addresses.
extern const char* const kAddressHelp;

}  // namespace millrace::cli
