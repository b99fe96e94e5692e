// A request of HTTP/1.1 as the routes see it: parsed, decoded, complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::gateway {

struct Request {
  std::string method;
  std::string path;                                        // as it was sent, up to the question mark
  std::vector<std::string> segments;                       // segments of the path, decoded: "/v1/logs/a%2Fb" is v1,
                                                           // logs, a/b
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool keeps_alive = true;
  bool is_http_1_0 = false;

  // A header by its name in any case; the first one if there are several.
  std::optional<std::string_view> header(std::string_view name) const;
  // A parameter of the query; the first if there are several.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

// Decodes "%2F" and the like, and + as a space if `is_form`. nullopt: a percent sign without two digits, or a NUL where
// it is not allowed.
std::optional<std::string> percent_decoded(std::string_view text, bool is_form, bool may_have_nul = false);

// Splits a target ("/a/b?c=d") into the parts of a request. False: it is not a path, or not properly encoded.
bool parse_target(std::string_view target, Request& request);

// Whether a list such as "text/html, text/event-stream;q=0.9" names the word.
bool names_word(std::string_view list, std::string_view word);

bool same_letters(std::string_view one, std::string_view other);

}  // namespace millrace::gateway
