// The URL of a webhook. It may come with a message, from an untrusted source: anything that is not clearly a URL of a
// web server is refused.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

struct sockaddr;

namespace millrace::gateway {

struct HookUrl {
  bool is_tls = false;
  std::string host;  // without the brackets of an IPv6 address
  uint16_t port = 0;
  std::string target;  // path and query; begins with a slash

  // The Host header: with the port, unless it is the default port.
  std::string host_header() const;
  auto operator<=>(const HookUrl&) const = default;
};

// The URL, or what is wrong with it: http or https, no user, no fragment, printable ASCII, at most 8 KiB.
std::expected<HookUrl, std::string> parse_hook_url(std::string_view text);

// Any bytes as a part of a header: bytes that are not printable ASCII are written like %0a.
std::string percent_encoded(std::string_view bytes);

// Whether the address is public. These are not: loopback, private networks, carrier-grade NAT, link-local (where clouds
// serve credentials), documentation, benchmarking and multicast addresses; nor IPv6 addresses that embed such an IPv4
// address.
bool is_public(const sockaddr& address);

// Whether the host is an address that is not public. A host name may still resolve to one.
bool names_private_address(const HookUrl& url);

}  // namespace millrace::gateway
