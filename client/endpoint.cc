#include "client/endpoint.h"

#include <charconv>

namespace millrace::client {
namespace {

Result<uint16_t> parse_port(std::string_view text) {
  uint16_t port = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (problem != std::errc() || end != text.data() + text.size() || port == 0) {
    return fail(ErrorCode::BadInput, "a port is a number from 1 to 65535, not '" + std::string(text) + "'");
  }
  return port;
}

Result<Endpoint> split_endpoint(std::string_view text, uint16_t usual_port) {
  if (text.empty()) return fail(ErrorCode::BadInput, "an address is host:port, not an empty word");
  Endpoint endpoint;
  endpoint.port = usual_port;
  std::string_view rest = text;
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == rest.npos || close == 1) {
      return fail(ErrorCode::BadInput, "an address in brackets is [host]:port, not '" + std::string(text) + "'");
    }
    endpoint.host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    if (rest.empty()) return endpoint;
    if (!rest.starts_with(':')) {
      return fail(ErrorCode::BadInput, "after the brackets comes :port, not '" + std::string(rest) + "'");
    }
  } else {
    const size_t colon = rest.rfind(':');
    // More than one colon: an IPv6 address without a port.
    if (colon == rest.npos || rest.find(':') != colon) {
      endpoint.host = rest;
      return endpoint;
    }
    if (colon > 0) endpoint.host = rest.substr(0, colon);
    rest.remove_prefix(colon);
  }
  const Result<uint16_t> port = parse_port(rest.substr(1));
  if (!port) return std::unexpected(port.error());
  endpoint.port = *port;
  return endpoint;
}

// The text itself is not repeated: before an @ there may be a password.
Result<void> refuse_any_of(std::string_view characters, std::string_view text) {
  const size_t at = text.find_first_of(characters);
  if (at == text.npos) return {};
  return fail(ErrorCode::BadInput, std::string("a host has no '") + text[at] +
                                       "' in it; an address is host:port, or a URL such as redis://user@host:port");
}

}  // namespace

std::string Endpoint::text() const {
  if (is_unix_socket()) return socket;
  const bool has_colons = host.find(':') != host.npos;
  return (has_colons ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parse_endpoint(std::string_view text, uint16_t usual_port) {
  if (auto checked = refuse_any_of("@/?#, \t\n", text); !checked) return std::unexpected(checked.error());
  auto endpoint = split_endpoint(text, usual_port);
  if (!endpoint) return endpoint;
  if (auto checked = refuse_any_of("[]", endpoint->host); !checked) return std::unexpected(checked.error());
  return endpoint;
}

}  // namespace millrace::client
