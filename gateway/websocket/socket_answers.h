// Errors in answers of a WebSocket.
#pragma once

#include <string>
#include <string_view>

#include "gateway/http/response.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {

// "error":{"code":…,"error":…}
inline std::string socket_error(std::string_view code, std::string_view text) {
  std::string json = "\"error\":{\"code\":";
  append_string(json, code);
  json += ",\"error\":";
  append_string(json, text);
  return json + '}';
}

// Converts an error response, whose body is {"code":…,"error":…}, for the client.
inline std::string socket_failure(const Response& response) {
  std::string body = response.body;
  while (body.ends_with('\n')) body.pop_back();
  return "\"error\":" + body;
}

}  // namespace millrace::gateway
