#include "client/server_url.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace millrace::client {
namespace {

constexpr uint16_t kServerPort = 6379;
constexpr uint16_t kSentinelPort = 26379;

struct Scheme {
  std::string_view name;
  enum class Kind { Host, UnixSocket, Sentinel } kind;
  bool has_tls;
};

constexpr Scheme kSchemes[] = {
    {"redis", Scheme::Kind::Host, false},
    {"rediss", Scheme::Kind::Host, true},
    {"valkey", Scheme::Kind::Host, false},
    {"valkeys", Scheme::Kind::Host, true},
    {"unix", Scheme::Kind::UnixSocket, false},
    {"redis+socket", Scheme::Kind::UnixSocket, false},
    {"valkey+socket", Scheme::Kind::UnixSocket, false},
    {"redis+sentinel", Scheme::Kind::Sentinel, false},
    {"rediss+sentinel", Scheme::Kind::Sentinel, true},
    {"valkey+sentinel", Scheme::Kind::Sentinel, false},
    {"valkeys+sentinel", Scheme::Kind::Sentinel, true},
};

std::unexpected<Error> wrong(std::string why) { return fail(ErrorCode::BadInput, std::move(why)); }

// Removes and returns the text before the mark, or all of it if there is no mark. The mark is removed, too.
std::string_view take_until(std::string_view& text, char mark) {
  const size_t end = text.find(mark);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return taken;
}

// Nullopt if two hex digits do not follow a %.
std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || problem != std::errc() || end != digits.data() + 2) return std::nullopt;
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

Result<std::string> decoded_part(std::string_view text, const std::string& what) {
  auto plain = decoded(text);
  if (!plain) return wrong("in the " + what + " of the address, % must be followed by two hex digits");
  return *std::move(plain);
}

Result<unsigned> parse_database(std::string_view text) {
  unsigned number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return wrong("a database is a number, not '" + std::string(text) + "'");
  }
  return number;
}

Result<void> take_user(std::string_view& rest, Login& login) {
  // The last @ before the path, so that a password may contain an unescaped @.
  const size_t at = rest.substr(0, rest.find_first_of("/?")).rfind('@');
  if (at == rest.npos) return {};
  std::string_view password = rest.substr(0, at);
  const auto user = decoded_part(take_until(password, ':'), "user");
  if (!user) return std::unexpected(user.error());
  const auto plain = decoded_part(password, "password");
  if (!plain) return std::unexpected(plain.error());
  login.user = *user;
  login.password = *plain;
  rest.remove_prefix(at + 1);
  return {};
}

Result<void> set_parameter(std::string_view name, std::string value, bool has_tls, ConnectionOptions& server) {
  if (name == "db") {
    const auto database = parse_database(value);
    if (!database) return std::unexpected(database.error());
    server.login.database = *database;
    return {};
  }
  const struct {
    std::string_view name;
    std::string& value;
  } words[] = {
      {"cacert", server.tls.ca_file}, {"cacertdir", server.tls.ca_folder}, {"cert", server.tls.certificate},
      {"key", server.tls.key},        {"sni", server.tls.server_name},
  };
  const auto found = std::ranges::find(words, name, [](const auto& word) { return word.name; });
  if (found != std::end(words) || name == "insecure") {
    if (!has_tls) return wrong(std::string(name) + " in an address needs TLS: rediss:// or valkeys://");
    if (name != "insecure") {
      found->value = std::move(value);
    } else if (value == "yes" || value == "no") {
      server.tls.checks_the_server = value == "no";
    } else {
      return wrong("insecure in an address is yes or no, not '" + value + "'");
    }
    return {};
  }
  if (server.sentinels && (name == "sentinel_user" || name == "sentinel_password")) {
    (name == "sentinel_user" ? server.sentinels->login.user : server.sentinels->login.password) = std::move(value);
    return {};
  }
  return wrong("'" + std::string(name) +
               "' is no parameter of an address; there are db, cacert, cacertdir, cert, key, " +
               "sni, insecure, and with sentinels sentinel_user and sentinel_password");
}

Result<void> parse_parameters(std::string_view text, bool has_tls, ConnectionOptions& server) {
  while (!text.empty()) {
    std::string_view value = take_until(text, '&');
    const std::string_view name = take_until(value, '=');
    auto plain = decoded_part(value, "parameter " + std::string(name));
    if (!plain) return std::unexpected(plain.error());
    if (auto set = set_parameter(name, std::move(*plain), has_tls, server); !set) return set;
  }
  return {};
}

Result<void> parse_path(std::string_view path, Login& login) {
  if (path.empty()) return {};
  const auto database = parse_database(path);
  if (!database) return wrong("behind the host comes /database, a number, not '/" + std::string(path) + "'");
  login.database = *database;
  return {};
}

Result<void> parse_host(std::string_view rest, ConnectionOptions& server) {
  const std::string_view host = take_until(rest, '/');
  if (host.find(',') != host.npos) {
    return wrong("only sentinels may be several hosts: redis+sentinel://a:26379,b:26379/service");
  }
  if (!host.empty()) {
    auto endpoint = parse_endpoint(host, kServerPort);
    if (!endpoint) return std::unexpected(endpoint.error());
    server.to = std::move(*endpoint);
  }
  return parse_path(rest, server.login);
}

Result<void> parse_unix_socket(std::string_view rest, ConnectionOptions& server) {
  auto path = decoded_part(rest, "path");
  if (!path) return std::unexpected(path.error());
  if (!path->starts_with('/') || path->size() == 1) {
    return wrong("the path of a Unix socket begins with /, as in unix:///run/redis.sock, not '" + *path + "'");
  }
  server.to.socket = std::move(*path);
  return {};
}

Result<void> parse_sentinels(std::string_view rest, ConnectionOptions& server) {
  std::string_view hosts = take_until(rest, '/');
  do {
    auto sentinel = parse_endpoint(take_until(hosts, ','), kSentinelPort);
    if (!sentinel) return std::unexpected(sentinel.error());
    server.sentinels->sentinels.push_back(std::move(*sentinel));
  } while (!hosts.empty());
  auto service = decoded_part(take_until(rest, '/'), "service");
  if (!service) return std::unexpected(service.error());
  if (service->empty()) {
    return wrong("after the sentinels, /service is missing: the name under which they watch the master");
  }
  server.sentinels->service = std::move(*service);
  // Until the sentinels are asked, a text that identifies the server.
  server.to = server.sentinels->sentinels.front();
  return parse_path(rest, server.login);
}

Result<void> parse_rest(const Scheme& scheme, std::string_view rest, ConnectionOptions& server) {
  if (auto taken = take_user(rest, server.login); !taken) return taken;
  // Without this check, another error message would show a part of the password.
  if (scheme.kind != Scheme::Kind::UnixSocket && rest.substr(0, rest.find('?')).find('@') != rest.npos) {
    return wrong("/ and ? in a user or a password are written %2F and %3F");
  }
  std::string_view place = take_until(rest, '?');
  server.tls.is_on = scheme.has_tls;
  Result<void> parsed;
  switch (scheme.kind) {
    case Scheme::Kind::Host:
      parsed = parse_host(place, server);
      break;
    case Scheme::Kind::UnixSocket:
      parsed = parse_unix_socket(place, server);
      break;
    case Scheme::Kind::Sentinel:
      server.sentinels.emplace();
      parsed = parse_sentinels(place, server);
      break;
  }
  return parsed ? parse_parameters(rest, scheme.has_tls, server) : parsed;
}

}  // namespace

Result<ConnectionOptions> parse_server_url(std::string_view text) {
  ConnectionOptions server;
  if (text.starts_with('/')) {
    server.to.socket = text;
    return server;
  }
  const size_t marks = text.find("://");
  if (marks == text.npos) {
    auto endpoint = parse_endpoint(text);
    if (!endpoint) return std::unexpected(endpoint.error());
    server.to = std::move(*endpoint);
    return server;
  }
  const std::string_view name = text.substr(0, marks);
  const auto scheme = std::ranges::find(kSchemes, name, &Scheme::name);
  if (scheme == std::end(kSchemes)) {
    return wrong("'" + std::string(name) + "://' is not known; there are redis, rediss, valkey, valkeys, unix, " +
                 "redis+socket, redis+sentinel and rediss+sentinel");
  }
  if (auto parsed = parse_rest(*scheme, text.substr(marks + 3), server); !parsed) {
    return std::unexpected(parsed.error());
  }
  return server;
}

std::string name_of_server(const ConnectionOptions& server) {
  if (!server.sentinels) return server.to.text();
  std::string name;
  for (const Endpoint& sentinel : server.sentinels->sentinels) name += (name.empty() ? "" : ",") + sentinel.text();
  return std::string(server.tls.is_on ? "rediss" : "redis") + "+sentinel://" + name + '/' + server.sentinels->service;
}

}  // namespace millrace::client
