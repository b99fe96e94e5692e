#include "gateway/routes/changes.h"

#include "gateway/auth/authority.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/parameters.h"

namespace millrace::gateway {
namespace {

struct Field {
  std::string_view name;
  std::string_view word;  // of ROUTE.DISPATCH
  bool is_required;
};
constexpr Field kTexts[] = {
    {"app", "APP", true}, {"model", "MODEL", true}, {"user", "USER", false}, {"id", "ID", false}};
constexpr Field kDocuments[] = {{"document", "DOC", false}, {"old", "OLD", false}};

// Appends "queues":{"transport":"log"} as words; returns what is wrong, or nothing. "*" is not allowed for clients,
// because it would mean logs whose rights were not checked.
std::optional<std::string> append_queues(Words& words, std::string_view raw, std::vector<std::string>& logs) {
  const auto queues = JsonObject::parse(raw);
  if (!queues) return "expected 'queues' to be {\"transport\":\"log\"}";
  for (const auto& [transport, name] : queues->fields()) {
    const auto log = json_string_value(name);
    if (!log || transport == "*") return "expected 'queues' to be {\"transport\":\"log\"}";
    words.insert(words.end(), {transport, *log});
    logs.push_back(*log);
  }
  return std::nullopt;
}

// {"app","model","user"?,"id"?,"document"?,"old"?,"event","origin"?,"queues"?}. Appends it to the words. Returns what
// is wrong; nullopt: nothing. `logs` gets those that the change names.
std::optional<std::string> append_change(Words& words, const JsonObject& change, const std::string& table,
                                         std::vector<std::string>& logs) {
  for (const Field& field : kTexts) {
    const auto text = change.text(field.name);
    if (!text && (field.is_required || change.raw(field.name))) {
      return "expected a text '" + std::string(field.name) + "'";
    }
    if (text) words.insert(words.end(), {std::string(field.word), *text});
  }
  for (const Field& field : kDocuments) {
    if (const auto raw = change.raw(field.name)) {
      words.insert(words.end(), {std::string(field.word), std::string(*raw)});
    }
  }
  const auto event = change.text("event");
  if (!event) return "expected a text 'event'";
  words.insert(words.end(), {"EVENT", *event});
  const auto origin = change.text("origin");
  if (!origin && change.raw("origin")) return "expected a text 'origin'";
  if (origin) words.insert(words.end(), {"ORIGIN", *origin});
  words.emplace_back("QUEUES");
  if (const auto queues = change.raw("queues")) return append_queues(words, *queues, logs);
  // Every transport has a log of its own, beside the table.
  words.insert(words.end(), {"*", table + ":"});
  return std::nullopt;
}

// [[transport, devices, offset], ...]
Task<Response> dispatch(Services& services, ExchangePtr exchange) {
  const auto change = JsonObject::parse(exchange->request.body);
  if (!change) co_return error_response(400, "the body is not a JSON object", "invalid");
  Words words = {"ROUTE.DISPATCH", exchange->names[0]};
  std::vector<std::string> logs;
  if (auto wrong = append_change(words, *change, exchange->names[0], logs)) {
    co_return error_response(400, *wrong, "invalid");
  }
  for (const std::string& log : logs) {
    if (!services.authority.may(*exchange->caller, Resource::Log, log, Right::Write)) {
      co_return error_response(403, "the log '" + log + "' may not be written", "forbidden");
    }
  }
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  std::string json = "{\"transports\":[";
  for (const client::Reply& item : answer->items) {
    if (item.items.size() != 3) continue;
    if (json.back() != '[') json += ',';
    json += "{\"transport\":";
    append_string(json, item.items[0].text);
    json += ",\"devices\":" + std::to_string(item.items[1].integer) +
            ",\"offset\":" + (item.items[2].is_nil() ? "null" : std::to_string(item.items[2].integer)) + '}';
  }
  co_return json_response(json + "]}");
}

}  // namespace

const std::vector<Route>& change_routes() {
  static const std::vector<Route> routes = {
      {"POST", "/v1/routes/{table}/changes", dispatch, Resource::Route, Right::Write, "Dispatches a change to devices",
       "", "transports:array"},
  };
  return routes;
}

}  // namespace millrace::gateway
