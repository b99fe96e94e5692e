#include "cli/server_options.h"

#include <cstdlib>

#include "client/server_url.h"

namespace millrace::cli {
namespace {

using client::ErrorCode;

constexpr const char* kUsualServer = "127.0.0.1:6379";

// The first of these variables that is set and not empty.
std::optional<std::string> environment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return std::nullopt;
}

}  // namespace

const char* const kAddressHelp = R"(--to, of every command that talks to a server, is host:port or one of

  redis://user:password@host:port/database      valkey:// is the same
  rediss://...                                  the same with TLS; and valkeys://
  unix:///run/redis.sock?db=1                   a Unix socket; and redis+socket://
  redis+sentinel://s1:26379,s2:26379/service/database
                                                the master that the sentinels name when the
                                                connection opens; rediss+sentinel:// with TLS

Without --to it is VALKEY_URL or REDIS_URL, if one is set. A password that is not in the
address is taken from VALKEYCLI_AUTH or REDISCLI_AUTH. With TLS the certificate of the
server must be valid and have the name of the host, or that of --sni. The options of TLS may
stand in the address: rediss://host?cacert=ca.pem&cert=me.pem&key=me.key&sni=name)";

void ServerOptions::add_to(CLI::App& command, const std::string& what) {
  command.add_option("--to", to, what)->type_name("ADDRESS")->allow_extra_args(false)->default_str(kUsualServer);
  command.add_option("--user", user, "log in as this user; the password is taken from REDISCLI_AUTH")
      ->type_name("NAME");
  command.add_option("--database", database, "the number of the server's database")->type_name("N");
  command.add_flag("--tls", tls.is_on, "use TLS, as rediss:// does");
  command.add_option("--cacert", tls.ca_file, "trust these certificates, not the system's")->type_name("FILE");
  command.add_option("--cacertdir", tls.ca_folder, "the same, a folder of them")->type_name("FOLDER");
  command.add_option("--cert", tls.certificate, "our certificate, if the server asks for one")->type_name("FILE");
  command.add_option("--key", tls.key, "the private key of our certificate")->type_name("FILE");
  command.add_option("--sni", tls.server_name, "the server's name, which its certificate must have")->type_name("NAME");
  command.add_flag("--insecure", is_insecure, "accept any certificate");
}

void add_connect_for(CLI::App& command, unsigned& seconds) {
  command.add_option("--connect-for", seconds, "how long to try to reach a server that is not there yet")
      ->type_name("SECONDS")
      ->check(CLI::Range(0U, 86400U))
      ->capture_default_str();
}

client::Result<client::ConnectionOptions> ServerOptions::connection() const {
  if (to.size() > 1) return client::fail(ErrorCode::BadInput, "--to is given more than once");
  return connection_to(to.empty() ? environment({"VALKEY_URL", "REDIS_URL"}).value_or(kUsualServer) : to.front());
}

client::Result<std::vector<client::ConnectionOptions>> ServerOptions::connections() const {
  std::vector<client::ConnectionOptions> servers;
  for (const std::string& address : to) {
    auto server = connection_to(address);
    if (!server) return std::unexpected(server.error());
    const std::string name = client::name_of_server(*server);
    for (const auto& other : servers) {
      if (client::name_of_server(other) == name) return client::fail(ErrorCode::BadInput, name + " is given twice");
    }
    servers.push_back(std::move(*server));
  }
  if (!servers.empty()) return servers;
  auto server = connection();
  if (!server) return std::unexpected(server.error());
  servers.push_back(std::move(*server));
  return servers;
}

client::Result<client::ConnectionOptions> ServerOptions::connection_to(const std::string& address) const {
  auto server = client::parse_server_url(address);
  if (!server) return server;
  if (auto added = add_login(server->login); !added) return std::unexpected(added.error());
  if (auto added = add_tls(*server); !added) return std::unexpected(added.error());
  return server;
}

client::Result<void> ServerOptions::add_login(client::Login& login) const {
  if (!user.empty() && !login.user.empty() && login.user != user) {
    return client::fail(ErrorCode::BadInput, "--user is " + user + ", but the address says " + login.user);
  }
  if (database && login.database != 0 && login.database != *database) {
    return client::fail(ErrorCode::BadInput, "--database is " + std::to_string(*database) + ", but the address says " +
                                                 std::to_string(login.database));
  }
  if (!user.empty()) login.user = user;
  if (database) login.database = *database;
  if (login.password.empty()) login.password = environment({"VALKEYCLI_AUTH", "REDISCLI_AUTH"}).value_or("");
  return {};
}

client::Result<void> ServerOptions::add_tls(client::ConnectionOptions& server) const {
  client::TlsOptions& there = server.tls;
  there.is_on = there.is_on || tls.is_on;
  if (there.is_on && server.to.is_unix_socket()) {
    return client::fail(ErrorCode::BadInput, "there is no TLS over a Unix socket");
  }
  const struct {
    const char* name;
    const std::string& given;
    std::string& used;
  } words[] = {
      {"--cacert", tls.ca_file, there.ca_file},       {"--cacertdir", tls.ca_folder, there.ca_folder},
      {"--cert", tls.certificate, there.certificate}, {"--key", tls.key, there.key},
      {"--sni", tls.server_name, there.server_name},
  };
  for (const auto& word : words) {
    if (word.given.empty()) continue;
    if (!there.is_on) {
      return client::fail(ErrorCode::BadInput, std::string(word.name) + " needs TLS: rediss:// or --tls");
    }
    word.used = word.given;
  }
  if (is_insecure && !there.is_on) return client::fail(ErrorCode::BadInput, "--insecure needs TLS: rediss:// or --tls");
  if (is_insecure) there.checks_the_server = false;
  if (there.certificate.empty() && !there.key.empty()) {
    return client::fail(ErrorCode::BadInput, "--key is of no use without --cert");
  }
  return {};
}

}  // namespace millrace::cli
