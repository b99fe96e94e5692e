// Rules for browsers: which pages of other hosts may send requests (CORS), and protection against requests that a page
// makes without its user's knowledge (CSRF).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/request.h"
#include "gateway/http/response.h"

namespace millrace::gateway {

class BrowserRules {
 public:
  BrowserRules(std::vector<std::string> origins, bool credentials)
      : origins_(std::move(origins)), credentials_(credentials) {}

  // The answer to a CORS preflight request (OPTIONS). Nullopt: the request is not one.
  std::optional<Response> preflight(const Request& request) const;
  // Adds the headers that allow the page to read the answer.
  void add_headers(const Request& request, Response& response) const;

  // True if the request comes from our own page, from a page on the list, or from no page at all.
  bool trusts_page(const Request& request) const;
  // The same for a request that is authorized by its cookie: a page on the list also needs cors.credentials.
  bool trusts_cookie(const Request& request) const;

 private:
  static bool is_own_page(const Request& request);
  bool is_listed(std::string_view origin) const;

  std::vector<std::string> origins_;
  bool credentials_;
};

// Whether an address is a loopback address.
bool is_loopback(std::string_view address);
// Whether the Host header names this machine. A page with another host name that resolves to this machine (DNS
// rebinding) does not.
bool names_loopback(const Request& request);

}  // namespace millrace::gateway
