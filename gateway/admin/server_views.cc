#include "gateway/admin/server_views.h"

#include <algorithm>

#include "gateway/admin/audit.h"
#include "gateway/admin/command_words.h"
#include "gateway/admin/info_text.h"
#include "gateway/admin/reply_json.h"
#include "gateway/auth/authority.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "version.h"

namespace millrace::gateway {
namespace {

using client::Reply;

void append_node(std::string& json, std::string_view address, std::string_view role, bool is_up) {
  if (json.back() != '[') json += ',';
  json += "{\"address\":";
  append_string(json, address);
  json += ",\"role\":";
  append_string(json, role);
  json += is_up ? ",\"up\":true}" : ",\"up\":false}";
}

// "slave0:ip=127.0.0.1,port=6380,state=online,…"
void append_replicas(std::string& json, const InfoText& info) {
  for (int64_t i = 0; i < std::min<int64_t>(info.number("connected_slaves"), 100); ++i) {
    const std::string line = info.text("slave" + std::to_string(i));
    append_node(json, part_of(line, "ip") + ':' + part_of(line, "port"), "replica", part_of(line, "state") == "online");
  }
}

}  // namespace

Task<Response> show_me(Services& services, ExchangePtr exchange) {
  const Caller& caller = *exchange->caller;
  std::string json = "{\"name\":";
  append_string(json, name_of_caller(*exchange));
  json += ",\"may\":[\"read\"";
  if (services.authority.may(caller, Resource::Admin, "", Right::Write)) json += ",\"write\"";
  json += "],\"gateway\":";
  append_string(json, services.config.name);
  json += R"(,"version":")" MILLRACE_VERSION R"(","server":{"nodes":[)";
  std::string version;
  const std::vector<NodeName> nodes = services.upstream.nodes();
  for (const NodeName& node : nodes) {
    Words words = {"INFO", "default"};
    const Answer answer = co_await services.upstream.ask_at(node, std::move(words));
    const InfoText info(answer && !answer->is_error() ? answer->text : "");
    const std::string role = info.text("role");
    const std::string address = node.endpoint ? node.endpoint->text() : services.upstream.seed_address();
    append_node(json, address, role == "slave" ? "replica" : "master", answer.has_value());
    append_replicas(json, info);
    if (version.empty()) version = server_version(info);
  }
  json += "],\"version\":";
  append_string(json, version);
  json += R"(,"mode":")";
  json += services.upstream.is_cluster() ? "cluster" : services.upstream.has_sentinels() ? "sentinel" : "standalone";
  co_return json_response(json + "\"}}");
}

Task<Response> show_lock_waits(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  const int64_t count = input.count();
  if (input.wrong()) co_return *input.wrong();
  int64_t waiting = 0;
  std::vector<Reply> waits;
  std::string cycles;
  const std::vector<NodeName> nodes = services.upstream.nodes();
  for (const NodeName& node : nodes) {
    Words words = {"LOCK.WAITS", "COUNT", std::to_string(count)};
    const Answer answer = co_await services.upstream.ask_at(node, std::move(words));
    if (auto failed = failure_of(answer)) co_return std::move(*failed);
    waiting += number_in(*answer, "waiting");
    if (const Reply* const found = find_field(*answer, "waits")) {
      waits.insert(waits.end(), found->items.begin(), found->items.end());
    }
    if (const Reply* const found = find_field(*answer, "cycles")) {
      for (const Reply& cycle : found->items) {
        cycles += cycles.empty() ? "" : ",";
        append_reply(cycles, cycle);
      }
    }
  }
  std::ranges::stable_sort(waits, std::greater(), [](const Reply& wait) { return number_in(wait, "waited"); });
  if (std::cmp_greater(waits.size(), count)) waits.resize(static_cast<size_t>(count));
  std::string json = "{\"waiting\":" + std::to_string(waiting) + ",\"items\":";
  append_reply(json, list_of(std::move(waits)), "[{}]");
  co_return json_response(json + ",\"cycles\":[" + cycles + "]}");
}

Task<Response> delete_key(Services& services, ExchangePtr exchange) {
  Words words = {"TYPE", exchange->names[0]};
  const Answer type = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(type)) co_return std::move(*failed);
  if (type->text == "none") co_return json_response("{\"deleted\":0}");
  if (!type->text.starts_with("millr-")) {
    co_return error_response(409, "the key is not of a Millrace type", "wrongtype");
  }
  Words unlink = {"UNLINK", exchange->names[0]};
  const Answer answer = co_await services.upstream.ask(std::move(unlink));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  co_return json_response("{\"deleted\":" + std::to_string(answer->integer) + '}');
}

Task<Response> show_audit_log(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  const int64_t count = input.count();
  const std::string from = input.value("cursor").value_or("-1");
  if (input.wrong()) co_return *input.wrong();
  const std::string log = services.config.audit;
  if (log.empty()) co_return json_response("{\"items\":[]}");
  Words words = {"TREAD", log, from, std::to_string(count), "REV", "WITHINFO"};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  std::string json = "{\"items\":[";
  int64_t end = 0;
  for (size_t i = 1; i < answer->items.size(); ++i) {
    const Reply& message = answer->items[i];
    if (message.items.size() < 3) continue;
    end = message.items[0].integer;
    const auto entry = compact_json(message.items[2].text);
    // This message was not written by a gateway.
    if (!entry || !entry->starts_with("{\"")) continue;
    if (json.back() != '[') json += ',';
    json += "{\"offset\":" + std::to_string(end) + ',' + entry->substr(1);
  }
  json += ']';
  const int64_t first = answer->items.empty() || answer->items[0].items.empty() ? 0 : answer->items[0].items[0].integer;
  if (end > first) json += ",\"cursor\":\"" + std::to_string(end - 1) + '"';
  co_return json_response(json + '}');
}

}  // namespace millrace::gateway
