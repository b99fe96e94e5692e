#include "gateway/admin/audit.h"

#include "gateway/admin/board.h"
#include "gateway/admin/reply_json.h"
#include "gateway/auth/authority.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

// The most bytes of a body that are stored: enough to see what was done, not the contents of a message.
constexpr size_t kMostArguments = 1024;
// How many entries a log that a gateway has created keeps.
constexpr const char* kKept = "100000";

// The names after the first one, then the body if there is one.
std::string arguments_json(const Exchange& exchange) {
  std::string json = "{\"path\":[";
  for (size_t i = 1; i < exchange.names.size(); ++i) {
    if (i > 1) json += ',';
    append_bytes(json, exchange.names[i]);
  }
  json += ']';
  const std::string& body = exchange.request.body;
  if (!body.empty()) {
    json += ',';
    append_content(json, "body", body, kMostArguments);
  }
  return json + '}';
}

}  // namespace

std::string name_of_caller(const Exchange& exchange) {
  if (exchange.caller == nullptr || exchange.caller->is_trusted) return "this machine";
  return exchange.caller->name;
}

bool is_audit_log(const Services& services, const Exchange& exchange) {
  return !exchange.names.empty() && !services.config.audit.empty() && exchange.names[0] == services.config.audit;
}

Task<bool> note_in_audit_log(Services& services, ExchangePtr exchange, std::string_view action, int status) {
  const std::string log = services.config.audit;
  if (log.empty()) co_return true;
  std::string json = "{\"time\":" + std::to_string(unix_ms()) + ",\"who\":";
  append_string(json, name_of_caller(*exchange));
  json += ",\"address\":";
  append_string(json, exchange->peer);
  json += ",\"gateway\":";
  append_string(json, services.config.name);
  json += ",\"action\":";
  append_string(json, action);
  json += ",\"key\":";
  if (exchange->names.empty()) {
    json += "null";
  } else {
    append_bytes(json, exchange->names[0]);
  }
  json += ",\"arguments\":" + arguments_json(*exchange);
  json += R"(,"outcome":")" + std::string(status < 300 ? "done" : "refused") +
          "\",\"status\":" + std::to_string(status) + '}';
  Words words = {"TWRITE", log, std::string(action), std::move(json)};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (!answer || answer->is_error()) co_return false;
  if (answer->integer == 1) {
    Words retain = {"TRETAIN", log, "COUNT", kKept};
    services.upstream.call(std::move(retain), 1, [](const Answer&) {});
  }
  co_return true;
}

}  // namespace millrace::gateway
