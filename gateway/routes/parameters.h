// Reads the values of queries, headers and bodies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/exchange.h"
#include "gateway/json/json_object.h"
#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

// Reads parameters one after the other and stores the first error: 400 with the parameter's name.
class Parameters {
 public:
  explicit Parameters(const Request& request) : request_(request) {}

  // The parameter, or `usual` if it is missing.
  std::string text(std::string_view name, std::string_view usual = {});
  int64_t number(std::string_view name, int64_t usual, int64_t least, int64_t most);
  // A duration in Go's syntax; a longer one than `most` becomes `most`, without an error.
  Milliseconds time(std::string_view name, Milliseconds usual, Milliseconds most);
  bool is_on(std::string_view name);
  // All values of the name; each may be a list separated by commas.
  std::vector<std::string> list(std::string_view name);

  // The first error.
  const std::optional<Response>& wrong() const { return wrong_; }
  void refuse(std::string_view name, std::string_view expected);

 private:
  const Request& request_;
  std::optional<Response> wrong_;
};

// Whether the client asks for events.
bool wants_events(const Request& request);
// Whether the client asks for the plain bytes of a message.
bool wants_bytes(const Request& request);

// A value in the body of a request: JSON as it is, or, with "encoding":"base64", the decoded bytes. nullopt: there is
// none.
std::optional<std::string> value_in(const JsonObject& object, std::string_view name);

}  // namespace millrace::gateway
