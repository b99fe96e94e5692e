// Where a server listens.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "client/error.h"

namespace millrace::client {

struct Endpoint {
  std::string host = "127.0.0.1";
  uint16_t port = 6379;
  std::string socket = {};  // the path of a Unix socket; then host and port are not used

  auto operator<=>(const Endpoint&) const = default;

  bool is_unix_socket() const { return !socket.empty(); }

  // The format of parse_endpoint; for a Unix socket, its path.
  std::string text() const;
};

// "host:port", "host" (then `usual_port`), ":port" (127.0.0.1) or "[::1]:port". BadInput says
// what is wrong with anything else.
Result<Endpoint> parse_endpoint(std::string_view text, uint16_t usual_port = 6379);

}  // namespace millrace::client
