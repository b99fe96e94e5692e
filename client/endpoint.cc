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

}  // namespace

std::string Endpoint::text() const {
  const bool has_colons = host.find(':') != host.npos;
  return (has_colons ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  if (text.empty()) return fail(ErrorCode::BadInput, "an address is host:port, not an empty word");
  Endpoint endpoint;
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

}  // namespace millrace::client
