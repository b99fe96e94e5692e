// An answer, and how it is written.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::gateway {

class StreamBody;

struct Response {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  // A body that goes on: then `body` is its beginning, and the connection belongs to it until its end.
  std::shared_ptr<StreamBody> stream = {};
  // When the stream ends at the latest, because its client's token counts no longer.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  bool may_be_kept = false;  // by the browser, which asks each time whether it is still so
  bool is_upgrade = false;   // the stream speaks another protocol from now on
};

std::string_view reason_phrase(int status);

// The head of the answer, and its body unless it is for HEAD.
std::string written(const Response& response, bool keeps_alive, bool is_head);

// {"code":…,"error":…}, the code only if there is one.
Response error_response(int status, std::string_view error, std::string_view code = {});
Response text_response(int status, std::string text);

}  // namespace millrace::gateway
