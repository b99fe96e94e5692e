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

  auto operator<=>(const Endpoint&) const = default;

  // As parse_endpoint takes it.
  std::string text() const;
};

// "host:port", "host" (port 6379), ":port" (127.0.0.1) or "[::1]:port". BadInput says what
// is wrong with anything else.
Result<Endpoint> parse_endpoint(std::string_view text);

}  // namespace millrace::client
