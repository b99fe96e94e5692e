// Builds a command for the server from a template and the values of a request.
//
//   WORD            the word itself
//   $1              the first name in the path
//   <a>             the parameter a, of the body or the query; <a=b>: b if there is no parameter a
//   <a...>          all items of the list a, at least one
//   [WORD <a>]      only if there is a parameter a
//   [WORD ?a]       only if the parameter a is true
//
// `count` is the size of a page: 100, at most 1000; `count+1` is one more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/exchange.h"
#include "gateway/json/json_object.h"

namespace millrace::gateway {

inline constexpr int64_t kUsualPage = 100;
inline constexpr int64_t kMostPage = 1000;

// The values of a request: names of the path, fields of its JSON body, parameters of its query. Values are bytes: in
// the body a string, {"base64":…}, or any other JSON as it is written.
class AdminInput {
 public:
  // If the body is not a JSON object, or the cursor is invalid, wrong() is the error response.
  explicit AdminInput(const Exchange& exchange);

  std::optional<std::string> value(std::string_view name) const;
  bool is_true(std::string_view name) const;
  // The items of an array, or the parts of a string separated by commas.
  std::vector<std::string> list(std::string_view name) const;
  // The field of the body as JSON. nullopt: there is none.
  std::optional<std::string_view> raw(std::string_view name) const;
  // How many items a page has.
  int64_t count();
  const std::vector<std::string>& names() const { return exchange_.names; }

  void refuse(const std::string& what);
  const std::optional<Response>& wrong() const { return wrong_; }

 private:
  // The value as it was sent: a cursor is not decoded.
  std::optional<std::string> as_sent(std::string_view name) const;

  const Exchange& exchange_;
  std::optional<JsonObject> body_;
  std::optional<Response> wrong_;
};

// Appends `,"cursor":…`. Any bytes are encoded as a string, which AdminInput::value("cursor") decodes.
void append_cursor(std::string& json, std::string_view cursor);

struct AdminCommand {
  Words words;
  size_t key = Upstream::kNoKey;  // the index of the key in `words`
};

// If a parameter is missing, input.wrong() says so.
AdminCommand fill_template(std::string_view text, AdminInput& input);

}  // namespace millrace::gateway
