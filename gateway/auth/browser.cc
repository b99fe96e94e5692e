#include "gateway/auth/browser.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

namespace millrace::gateway {

std::optional<Response> BrowserRules::preflight(const Request& request) const {
  const auto origin = request.header("origin");
  if (request.method != "OPTIONS" || !origin || !request.header("access-control-request-method")) return std::nullopt;
  if (!is_listed(*origin)) return error_response(403, "this origin is not allowed", "origin");
  Response response{.status = 204};
  response.headers = {
      {"Access-Control-Allow-Methods", "GET, POST, PUT, DELETE"},
      {"Access-Control-Allow-Headers",
       "Authorization, Content-Type, Last-Event-ID, Idempotency-Key, Millrace-Tag, Millrace-Delay"},
      {"Access-Control-Max-Age", "600"},
  };
  return response;
}

void BrowserRules::add_headers(const Request& request, Response& response) const {
  if (origins_.empty()) return;
  response.headers.emplace_back("Vary", "Origin");
  const auto origin = request.header("origin");
  if (!origin || !is_listed(*origin)) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", *origin);
  if (credentials_) response.headers.emplace_back("Access-Control-Allow-Credentials", "true");
  response.headers.emplace_back("Access-Control-Expose-Headers",
                                "Millrace-Offset, Millrace-Tag, Millrace-Position, Millrace-Message, Retry-After");
}

bool BrowserRules::is_own_page(const Request& request) {
  const auto origin = request.header("origin");
  if (!origin) {
    // Newer browsers send this header even with requests that have no Origin header, such as those for images.
    const auto site = request.header("sec-fetch-site");
    return !site || *site == "same-origin" || *site == "none";
  }
  const size_t scheme = origin->find("://");
  return scheme != origin->npos && origin->substr(scheme + 3) == request.header("host").value_or("");
}

bool BrowserRules::trusts_page(const Request& request) const {
  const auto origin = request.header("origin");
  return is_own_page(request) || (origin && is_listed(*origin));
}

bool BrowserRules::trusts_cookie(const Request& request) const {
  return is_own_page(request) || (credentials_ && trusts_page(request));
}

bool BrowserRules::is_listed(std::string_view origin) const {
  return std::ranges::any_of(origins_, [&](const std::string& one) { return one == origin || one == "*"; });
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

bool names_loopback(const Request& request) {
  std::string_view host = request.header("host").value_or("localhost");
  if (host.starts_with('[')) return host == "[::1]" || host.starts_with("[::1]:");
  host = host.substr(0, host.find(':'));
  if (host == "127.0.0.1" || same_letters(host, "localhost")) return true;
  // It must be an address, not a host name that begins like one.
  in_addr address{};
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

}  // namespace millrace::gateway
