#include "gateway/routes/parameters.h"

#include <algorithm>

#include "gateway/config/go_duration.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"

namespace millrace::gateway {

void Parameters::refuse(std::string_view name, std::string_view expected) {
  if (!wrong_) {
    wrong_ = error_response(400, "invalid '" + std::string(name) + "': expected " + std::string(expected), "invalid");
  }
}

std::string Parameters::text(std::string_view name, std::string_view usual) {
  return std::string(request_.parameter(name).value_or(usual));
}

int64_t Parameters::number(std::string_view name, int64_t usual, int64_t least, int64_t most) {
  const auto given = request_.parameter(name);
  if (!given) return usual;
  const auto value = parse_number(*given, least, most);
  if (!value) refuse(name, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  return value.value_or(usual);
}

Milliseconds Parameters::time(std::string_view name, Milliseconds usual, Milliseconds most) {
  const auto given = request_.parameter(name);
  if (!given) return usual;
  const auto value = parse_go_duration(*given);
  if (!value) refuse(name, "a time such as 30s, 250ms or 0");
  return std::min(value.value_or(usual), most);
}

bool Parameters::is_on(std::string_view name) {
  const auto given = request_.parameter(name);
  if (!given || *given == "0" || *given == "false") return false;
  if (*given != "1" && *given != "true" && !given->empty()) refuse(name, "1 or 0");
  return true;
}

std::vector<std::string> Parameters::list(std::string_view name) {
  std::vector<std::string> words;
  for (const auto& [given, value] : request_.query) {
    if (given != name) continue;
    for (std::string_view left = value; !left.empty();) {
      const size_t end = std::min(left.find(','), left.size());
      if (end > 0) words.emplace_back(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  return words;
}

bool wants_events(const Request& request) {
  return names_word(request.header("accept").value_or(""), "text/event-stream");
}

bool wants_bytes(const Request& request) {
  return names_word(request.header("accept").value_or(""), "application/octet-stream");
}

std::optional<std::string> value_in(const JsonObject& object, std::string_view name) {
  const auto raw = object.raw(name);
  if (!raw) return std::nullopt;
  if (object.text("encoding") == "base64") {
    const auto text = json_string_value(*raw);
    return text ? base64_decoded(*text) : std::nullopt;
  }
  return std::string(*raw);
}

}  // namespace millrace::gateway
