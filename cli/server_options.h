// The options that say which server is meant, the same for every subcommand that talks to
// one.
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

  // Adds --to, --user, --database and what TLS needs. `what` describes --to. REQUIRES: this
  // lives as long as the command.
  void add_to(CLI::App& command, const std::string& what);

  // What a connection needs, once the words are parsed. Without --to it is the server of
  // VALKEY_URL or REDIS_URL, or the one of this machine. A password that is not in the address
  // comes from VALKEYCLI_AUTH or REDISCLI_AUTH: a command line can be read by everybody on the
  // machine. BadInput: an address that is none, or options that contradict it.
  client::Result<client::ConnectionOptions> connection() const;
  // The same for a command that takes several --to. BadInput also: one of them is given twice.
  client::Result<std::vector<client::ConnectionOptions>> connections() const;

 private:
  client::Result<client::ConnectionOptions> connection_to(const std::string& address) const;
  client::Result<void> add_login(client::Login& login) const;
  client::Result<void> add_tls(client::ConnectionOptions& server) const;
};

// Adds --connect-for, in seconds, to a command that can wait for a server which has not started
// yet. REQUIRES: `seconds` lives as long as the command.
void add_connect_for(CLI::App& command, unsigned& seconds);

// The part of the tool's help that is about addresses.
extern const char* const kAddressHelp;

}  // namespace millrace::cli
