#include "cli/server_options.h"

#include <cstdlib>

namespace millrace::cli {

void ServerOptions::add_to(CLI::App& command) {
  command.add_option("--to", to, "the server's address, host:port")->type_name("ADDRESS")->capture_default_str();
  command
      .add_option("--user", login.user,
                  "log in as this user; the password, if it needs one, is taken from REDISCLI_AUTH")
      ->type_name("NAME");
  command.add_option("--database", login.database, "the number of the server's database")->type_name("N");
}

client::Result<client::ConnectionOptions> ServerOptions::connection() const {
  auto endpoint = client::parse_endpoint(to);
  if (!endpoint) return std::unexpected(endpoint.error());
  client::ConnectionOptions options{.to = *endpoint, .login = login};
  if (const char* password = std::getenv("REDISCLI_AUTH")) options.login.password = password;
  return options;
}

}  // namespace millrace::cli
