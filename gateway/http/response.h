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
  // A body that continues: then `body` is its beginning, and the stream owns the connection until its end.
  std::shared_ptr<StreamBody> stream = {};
  // The latest end of the stream: when its client's token expires.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  bool may_be_kept = false;  // the browser may cache it, and revalidates it each time
  bool is_upgrade = false;   // from now on the stream uses another protocol
};

std::string_view reason_phrase(int status);

// The head of the answer, and its body unless it is for HEAD.
std::string written(const Response& response, bool keeps_alive, bool is_head);

// {"code":…,"error":…}, the code only if there is one.
Response error_response(int status, std::string_view error, std::string_view code = {});
Response text_response(int status, std::string text);

}  // namespace millrace::gateway
