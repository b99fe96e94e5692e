#include "gateway/deliver/hook_url.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "gateway/http/request.h"

namespace millrace::gateway {
namespace {

constexpr size_t kMostUrlBytes = 8 << 10;
constexpr size_t kMostHostBytes = 253;

bool is_printable(char c) { return c > ' ' && c <= '~'; }

bool is_host_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

// Removes the host from the authority, with or without brackets.
bool take_host(std::string_view& authority, std::string& host) {
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == authority.npos) return false;
    host = authority.substr(1, end - 1);
    authority.remove_prefix(end + 1);
    in6_addr address{};
    return inet_pton(AF_INET6, host.c_str(), &address) == 1;
  }
  const size_t end = std::min(authority.find(':'), authority.size());
  host = authority.substr(0, end);
  authority.remove_prefix(end);
  return !host.empty() && host.size() <= kMostHostBytes && std::ranges::all_of(host, is_host_letter);
}

struct Network4 {
  uint32_t address;
  int bits;
};
constexpr Network4 kNotPublic4[] = {
    {0x00000000, 8},   // this network
    {0x0a000000, 8},   // private
    {0x64400000, 10},  // of providers
    {0x7f000000, 8},   // this machine
    {0xa9fe0000, 16},  // of a link
    {0xac100000, 12},  // private
    {0xc0000000, 24},  // of protocols
    {0xc0000200, 24},  // documentation
    {0xc0586300, 24},  // 6to4 relays
    {0xc0a80000, 16},  // private
    {0xc6120000, 15},  // measurements
    {0xc6336400, 24},  // documentation
    {0xcb007100, 24},  // documentation
    {0xe0000000, 3},   // multicast and reserved
};

bool is_public4(uint32_t address) {
  return std::ranges::none_of(
      kNotPublic4, [&](const Network4& network) { return (address ^ network.address) >> (32 - network.bits) == 0; });
}

uint32_t word_at(const uint8_t* bytes) {
  uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return ntohl(word);
}

bool is_public6(const in6_addr& address) {
  const uint8_t* const bytes = address.s6_addr;
  const uint32_t first = word_at(bytes);
  const uint32_t last = word_at(bytes + 12);
  if (first == 0x0064ff9b) return word_at(bytes + 4) == 0 && word_at(bytes + 8) == 0 && is_public4(last);  // NAT64
  if (first >> 16 == 0x2002) return is_public4(word_at(bytes + 2));                                        // 6to4
  // Only 2000::/3 is assigned; it contains Teredo and other addresses for protocols, and for documentation.
  if (first >> 29 != 1) return false;
  return first >> 9 != 0x20010000U >> 9 && first != 0x20010db8 && first >> 12 != 0x3fff0000U >> 12;
}

}  // namespace

std::string HookUrl::host_header() const {
  const bool is_v6 = host.find(':') != host.npos;
  std::string text = is_v6 ? '[' + host + ']' : host;
  if (port != (is_tls ? 443 : 80)) text += ':' + std::to_string(port);
  return text;
}

std::expected<HookUrl, std::string> parse_hook_url(std::string_view text) {
  if (text.size() > kMostUrlBytes) return std::unexpected("it is longer than 8 KiB");
  if (!std::ranges::all_of(text, is_printable)) return std::unexpected("it has bytes that are not printable ASCII");
  const size_t scheme_end = text.find("://");
  if (scheme_end == text.npos) return std::unexpected("it does not begin with http:// or https://");
  HookUrl url;
  url.is_tls = same_letters(text.substr(0, scheme_end), "https");
  if (!url.is_tls && !same_letters(text.substr(0, scheme_end), "http")) {
    return std::unexpected("it does not begin with http:// or https://");
  }
  text.remove_prefix(scheme_end + 3);
  if (text.find('#') != text.npos) return std::unexpected("it has a fragment");
  const size_t authority_end = std::min(text.find_first_of("/?\\"), text.size());
  std::string_view authority = text.substr(0, authority_end);
  text.remove_prefix(authority_end);
  if (text.starts_with('\\')) return std::unexpected("it has no host");
  if (authority.find('@') != authority.npos) return std::unexpected("it has a user");
  if (!take_host(authority, url.host)) return std::unexpected("it has no host");
  url.port = url.is_tls ? 443 : 80;
  if (!authority.empty()) {
    const char* const end = authority.data() + authority.size();
    const auto [stopped, problem] = std::from_chars(authority.data() + 1, end, url.port);
    if (authority.front() != ':' || problem != std::errc() || stopped != end || url.port == 0) {
      return std::unexpected("it has a port that is none");
    }
  }
  url.target = text.starts_with('/') ? std::string(text) : '/' + std::string(text);
  return url;
}

std::string percent_encoded(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    if (is_printable(c) && c != '%') {
      text += c;
    } else {
      text += {'%', kDigits[static_cast<unsigned char>(c) >> 4], kDigits[static_cast<unsigned char>(c) & 15]};
    }
  }
  return text;
}

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return is_public4(ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  return is_public6(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

bool names_private_address(const HookUrl& url) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, url.host.c_str(), &v4.sin_addr) == 1) return !is_public(reinterpret_cast<sockaddr&>(v4));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (inet_pton(AF_INET6, url.host.c_str(), &v6.sin6_addr) == 1) return !is_public(reinterpret_cast<sockaddr&>(v6));
  return false;
}

}  // namespace millrace::gateway
