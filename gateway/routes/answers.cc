#include "gateway/routes/answers.h"

#include <algorithm>
#include <charconv>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

struct KnownError {
  std::string_view code;
  int status;
};

constexpr KnownError kKnownErrors[] = {
    {"NOSUB", 404},      {"NOWORKER", 404},    {"NOGROUP", 404},   {"NOINDEX", 404},   {"NOFILTER", 404},
    {"BADRECEIPT", 400}, {"BADPOSITION", 400}, {"BADFILTER", 400}, {"WRONGTYPE", 409}, {"NOTOWNER", 409},
    {"NOPERM", 403},     {"NOAUTH", 503},      {"OOM", 503},       {"LOADING", 503},   {"CLUSTERDOWN", 503},
    {"MASTERDOWN", 503}, {"TRYAGAIN", 503},    {"READONLY", 503},  {"MISCONF", 503},   {"NOREPLICAS", 503},
    {"UNBLOCKED", 503},  {"BUSY", 503},        {"MOVED", 503},     {"ASK", 503},
};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return lower;
}

}  // namespace

Response json_response(std::string json, int status) {
  json += '\n';
  return {.status = status, .body = std::move(json)};
}

Response unavailable(std::string_view why) {
  Response response = error_response(503, why, "unavailable");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::string_view error_code(const client::Reply& reply) {
  return std::string_view(reply.text).substr(0, reply.text.find(' '));
}

std::optional<Response> failure_of(const Answer& answer) {
  if (!answer) return unavailable(answer.error().text);
  if (!answer->is_error()) return std::nullopt;
  const std::string_view code = error_code(*answer);
  const std::string_view text = answer->text;
  const auto* const known = std::ranges::find(kKnownErrors, code, &KnownError::code);
  if (known != std::end(kKnownErrors) && known->status == 503) return unavailable(text);
  const std::string_view said = text.substr(std::min(code.size() + 1, text.size()));
  if (known != std::end(kKnownErrors)) return error_response(known->status, said, lower_case(code));
  // A server without the module, or with an older one.
  if (text.starts_with("ERR unknown command")) return error_response(501, said, "unknown-command");
  return error_response(400, said, "invalid");
}

std::string header_text(std::string_view text) {
  std::string quoted;
  append_string(quoted, text);
  return quoted.substr(1, quoted.size() - 2);
}

std::optional<int64_t> parse_number(std::string_view text, int64_t least, int64_t most) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return std::nullopt;
  }
  return number;
}

}  // namespace millrace::gateway
