// Where a webhook goes. A URL may come with a message, from anybody: what is not plainly a URL of a web server is
// refused.
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

  // As the Host header has it: with the port, unless it is the usual one.
  std::string host_header() const;
  auto operator<=>(const HookUrl&) const = default;
};

// The URL, or what is wrong with it: http or https, no user, no fragment, printable ASCII, at most 8 KiB.
std::expected<HookUrl, std::string> parse_hook_url(std::string_view text);

// Any bytes as a part of a header: what is not printable ASCII becomes %0a.
std::string percent_encoded(std::string_view bytes);

// Whether anybody on the internet may mean this address. Not public are those of this machine, of private networks,
// of providers, of links (where clouds keep credentials), for documentation and tests, and multicast; also if they
// are written as an IPv6 address that leads to one.
bool is_public(const sockaddr& address);

// Whether the host is an address that is not public. A name may still lead to one.
bool names_private_address(const HookUrl& url);

}  // namespace millrace::gateway
