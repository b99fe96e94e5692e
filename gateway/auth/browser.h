// What browsers are allowed: pages of other hosts (CORS), and requests that a page makes without its user's knowledge.
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

  // The answer to a question before the request itself (OPTIONS). Nothing: it is none.
  std::optional<Response> preflight(const Request& request) const;
  // Adds what lets the page read the answer.
  void add_headers(const Request& request, Response& response) const;

  // Whether the page that makes the request, if one does, is ours or on the list.
  bool trusts_page(const Request& request) const;
  // The same if the request counts by its cookie: pages on the list need cors.credentials for that.
  bool trusts_cookie(const Request& request) const;

 private:
  static bool is_own_page(const Request& request);
  bool is_listed(std::string_view origin) const;

  std::vector<std::string> origins_;
  bool credentials_;
};

// Whether an address is of this machine.
bool is_loopback(std::string_view address);
// Whether the Host header names this machine: a page of another name that leads here (DNS rebinding) does not.
bool names_loopback(const Request& request);

}  // namespace millrace::gateway
