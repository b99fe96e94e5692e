#include "gateway/admin/admin_routes.h"

#include <algorithm>
#include <deque>

#include "gateway/admin/audit.h"
#include "gateway/admin/command_words.h"
#include "gateway/admin/reply_json.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"

namespace millrace::gateway {
namespace {

using client::Reply;

bool is_full(const Reply& reply, int64_t count) { return static_cast<int64_t>(reply.items.size()) >= count; }

// Where the page after this list begins. nullopt: this was the last page.
std::optional<std::string> next_of_list(Paging paging, const Reply& reply, int64_t count) {
  if (reply.items.empty() || !is_full(reply, count)) return std::nullopt;
  const Reply& last = reply.items.back();
  if (last.items.empty()) return std::nullopt;
  if (paging == Paging::NextOffset) return std::to_string(last.items[0].integer + 1);
  if (paging == Paging::Ticket) return last.items[0].text;
  const Reply* const name = find_field(last, "name");
  return name == nullptr ? std::nullopt : std::optional(name->text);
}

// [cursor, items]
std::string pair_json(const AdminRow& row, const Reply& reply) {
  std::string json = "{\"items\":";
  append_reply(json, reply.items.size() > 1 ? reply.items[1] : reply, row.shape);
  if (reply.items.size() > 1 && !reply.items[0].is_nil() && reply.items[0].text != "0") {
    append_cursor(json, reply.items[0].text);
  }
  return json + '}';
}

// A map, of which one field has the items.
std::string field_json(const AdminRow& row, const Reply& reply) {
  std::string json = "{\"items\":";
  const Reply* const items = find_field(reply, row.items);
  append_reply(json, items == nullptr ? list_of({}) : *items, row.shape);
  for (size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    const std::string& name = reply.items[i].text;
    const Reply& value = reply.items[i + 1];
    if (name == row.items || value.is_array()) continue;
    if (name == "cursor") {
      const std::string cursor = value.kind == Reply::Kind::Integer ? std::to_string(value.integer) : value.text;
      if (cursor != "0") append_cursor(json, cursor);
      continue;
    }
    json += ',';
    append_string(json, name);
    json += ':';
    append_reply(json, value);
  }
  return json + '}';
}

// [items, position, more, …]
std::string position_json(const AdminRow& row, const Reply& reply) {
  std::string json = "{\"items\":";
  append_reply(json, reply.items.empty() ? reply : reply.items[0], row.shape);
  if (reply.items.size() > 2 && reply.items[2].integer != 0) append_cursor(json, reply.items[1].text);
  return json + '}';
}

std::string list_json(const AdminRow& row, Reply reply, int64_t count, const std::optional<std::string>& cursor) {
  // The page begins with the last item of the previous page, unless that was removed.
  if (row.paging == Paging::Ticket) {
    const bool is_repeated =
        cursor && !reply.items.empty() && !reply.items[0].items.empty() && reply.items[0].items[0].text == *cursor;
    if (is_repeated) reply.items.erase(reply.items.begin());
    if (std::cmp_greater(reply.items.size(), count)) reply.items.resize(static_cast<size_t>(count));
  }
  std::string json = "{\"items\":";
  append_reply(json, reply, row.shape);
  if (row.paging != Paging::None) {
    if (const auto next = next_of_list(row.paging, reply, count)) append_cursor(json, *next);
  }
  return json + '}';
}

// "#a|b": a number is called a, a text b.
std::string named_json(std::string_view names, const Reply& reply) {
  const size_t bar = names.find('|');
  const bool is_second = bar != names.npos && reply.kind == Reply::Kind::Text;
  std::string json = "{";
  append_string(json, is_second ? names.substr(bar + 1) : names.substr(0, bar));
  json += ':';
  if (reply.kind == Reply::Kind::Status) {
    json += "true";
  } else {
    append_reply(json, reply);
  }
  return json + '}';
}

std::string row_json(const AdminRow& row, Reply reply, AdminInput& input) {
  switch (row.paging) {
    case Paging::Pair:
      return pair_json(row, reply);
    case Paging::Field:
      return field_json(row, reply);
    case Paging::Position:
      return position_json(row, reply);
    case Paging::None:
      if (row.shape.starts_with('#')) return named_json(row.shape.substr(1), reply);
      if (row.shape.starts_with('{')) {
        std::string json;
        append_reply(json, reply, row.shape);
        return json;
      }
      [[fallthrough]];
    default:
      return list_json(row, std::move(reply), input.count(), input.value("cursor"));
  }
}

// An operation that is one command, or two.
Task<Response> run_command(Services& services, ExchangePtr exchange) {
  const AdminRow& row = *exchange->route->admin;
  AdminInput input(*exchange);
  AdminCommand command = fill_template(row.command, input);
  AdminCommand also = fill_template(row.also, input);
  if (input.wrong()) co_return *input.wrong();
  Answer answer = co_await services.upstream.ask(std::move(command.words), command.key);
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (row.null_is_missing && answer->is_nil()) co_return error_response(404, "there is none of this name", "missing");
  std::string json = row_json(row, std::move(*answer), input);
  if (!row.also.empty()) {
    const Answer second = co_await services.upstream.ask(std::move(also.words), also.key);
    if (auto failed = failure_of(second)) co_return std::move(*failed);
    const size_t colon = row.also_is.find(':');
    json.back() = ',';
    append_string(json, row.also_is.substr(0, colon));
    json += ':';
    append_reply(json, *second, row.also_is.substr(colon + 1));
    json += '}';
  }
  if (row.more != nullptr) {
    json.pop_back();
    row.more(services, *exchange, json);
    json += '}';
  }
  co_return json_response(std::move(json));
}

Task<Response> serve_admin(Services& services, ExchangePtr exchange) {
  const AdminRow& row = *exchange->route->admin;
  const Handler handler = row.handler == nullptr ? run_command : row.handler;
  if (row.action.empty()) co_return co_await handler(services, exchange);
  if (is_audit_log(services, *exchange)) {
    co_return error_response(403, "only gateways may write to the audit log", "forbidden");
  }
  Response response = co_await handler(services, exchange);
  const bool is_noted = co_await note_in_audit_log(services, exchange, row.action, response.status);
  if (!is_noted) response.headers.emplace_back("Millrace-Audit", "failed");
  co_return response;
}

// The paths of all operations, which the routes borrow.
std::deque<std::string>& paths() {
  static std::deque<std::string> all;
  return all;
}

std::vector<Route> made_routes() {
  std::vector<Route> routes;
  for (const auto rows : {server_rows(), log_rows(), type_rows()}) {
    for (const AdminRow& row : rows) {
      paths().push_back("/v1/admin" + std::string(row.path));
      routes.push_back({.method = row.method,
                        .pattern = paths().back(),
                        .handler = serve_admin,
                        .resource = Resource::Admin,
                        .right = row.right,
                        .summary = row.summary,
                        .parameters = row.parameters,
                        .answer = row.answer,
                        .admin = &row});
    }
  }
  return routes;
}

}  // namespace

Task<Response> look_at(Services& services, ExchangePtr exchange) {
  const Handler handler = exchange->route->admin->handler;
  co_return co_await (handler == nullptr ? run_command : handler)(services, exchange);
}

const std::vector<Route>& console_routes() {
  static const std::vector<Route> routes = made_routes();
  return routes;
}

}  // namespace millrace::gateway
