#include "gateway/routes/metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "gateway/admin/info_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/figures.h"
#include "gateway/stream/topic.h"

namespace millrace::gateway {
namespace {

// Limits: calls of SCAN for a pattern on each node, and keys that are reported.
constexpr int kMostScans = 50;
constexpr size_t kMostKeys = 200;

// Samples by the name of their figure, so that each name has its lines together.
class Samples {
 public:
  void add(const std::string& name, const char* type, const std::string& labels, int64_t value) {
    Figure& figure = figures_[name];
    figure.type = type;
    figure.lines += name + labels + ' ' + std::to_string(value) + '\n';
  }
  std::string text() const {
    std::string out;
    for (const auto& [name, figure] : figures_) out += "# TYPE " + name + ' ' + figure.type + '\n' + figure.lines;
    return out;
  }

 private:
  struct Figure {
    std::string type;
    std::string lines;
  };
  std::map<std::string, Figure> figures_;
};

std::string label(std::string_view name, std::string_view value) {
  std::string text = std::string(name) + "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      text += c;
    }
  }
  return text + '"';
}

void add_own(Samples& samples, Services& services) {
  const Figures& figures = services.figures;
  const auto gauge = [&](const char* name, int64_t value) { samples.add(name, "gauge", "", value); };
  const auto counter = [&](const char* name, uint64_t value) {
    samples.add(name, "counter", "", static_cast<int64_t>(value));
  };
  gauge("millrace_gateway_up", services.upstream.is_reachable() ? 1 : 0);
  gauge("millrace_gateway_connections", figures.connections);
  gauge("millrace_gateway_streams", figures.streams);
  gauge("millrace_gateway_sockets", figures.sockets);
  counter("millrace_gateway_accepted_total", figures.accepted);
  counter("millrace_gateway_refused_total", figures.refused);
  counter("millrace_gateway_events_total", figures.events);
  counter("millrace_gateway_resets_total", figures.resets);
  for (size_t digit = 1; digit < 6; ++digit) {
    samples.add("millrace_gateway_responses_total", "counter", "{status=\"" + std::to_string(digit) + "xx\"}",
                static_cast<int64_t>(figures.requests[digit]));
  }
}

void add_webhooks(Samples& samples, const std::deque<HookFigures>& webhooks) {
  for (const HookFigures& webhook : webhooks) {
    const std::string labels = '{' + label("webhook", webhook.name) + '}';
    const auto counter = [&](const char* name, uint64_t value) {
      samples.add(name, "counter", labels, static_cast<int64_t>(value));
    };
    counter("millrace_webhook_delivered_total", webhook.delivered);
    counter("millrace_webhook_failed_attempts_total", webhook.failed);
    counter("millrace_webhook_given_up_total", webhook.given_up);
    counter("millrace_webhook_request_milliseconds_total", webhook.milliseconds);
    samples.add("millrace_webhook_in_flight", "gauge", labels, webhook.in_flight);
    samples.add("millrace_webhook_paused", "gauge", labels, webhook.is_paused ? 1 : 0);
  }
}

// "millrace_log_writes:17" of INFO millrace.
void add_counters(Samples& samples, const InfoText& info, const std::string& labels) {
  for (const auto& [name, text] : info.fields()) {
    if (!name.starts_with("millrace_")) continue;
    if (const auto value = parse_number(text, INT64_MIN, INT64_MAX)) samples.add(name, "untyped", labels, *value);
  }
}

// Names and values in turn, as RESP2 has maps.
int64_t field_of(const client::Reply& reply, std::string_view name) {
  for (size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    if (reply.items[i].text == name) return reply.items[i + 1].integer;
  }
  return 0;
}

void add_group(Samples& samples, const std::string& key, const client::Reply& group) {
  std::string name;
  for (size_t i = 0; i + 1 < group.items.size(); i += 2) {
    if (group.items[i].text == "name" || group.items[i].text == "group") name = group.items[i + 1].text;
  }
  const std::string labels = '{' + label("key", key) + ',' + label("group", name) + '}';
  for (size_t i = 0; i + 1 < group.items.size(); i += 2) {
    if (group.items[i + 1].kind != client::Reply::Kind::Integer) continue;
    std::string figure = "millrace_group_" + group.items[i].text;
    std::ranges::replace(figure, '-', '_');
    samples.add(figure, "gauge", labels, group.items[i + 1].integer);
  }
}

Task<bool> add_log(Samples& samples, Services& services, std::string key) {
  Words info_words = {"TINFO", key};
  const Answer info = co_await services.upstream.ask(std::move(info_words));
  if (!info || info->is_error()) co_return false;
  const std::string labels = '{' + label("key", key) + '}';
  for (const char* name : {"messages", "bytes", "memory", "groups"}) {
    samples.add(std::string("millrace_log_") + name, "gauge", labels, field_of(*info, name));
  }
  Words list_words = {"TGROUP", "LIST", key};
  const Answer groups = co_await services.upstream.ask(std::move(list_words), 2);
  if (!groups || !groups->is_array()) co_return true;
  for (const client::Reply& group : groups->items) add_group(samples, key, group);
  co_return true;
}

// Integers of an INFO command of a key.
Task<bool> add_described(Samples& samples, Services& services, std::string key, const char* command,
                         const char* prefix) {
  Words words = {command, key};
  const Answer info = co_await services.upstream.ask(std::move(words));
  if (!info || info->is_error()) co_return false;
  const std::string labels = '{' + label("key", key) + '}';
  for (size_t i = 0; i + 1 < info->items.size(); i += 2) {
    if (info->items[i + 1].kind != client::Reply::Kind::Integer) continue;
    std::string figure = prefix + info->items[i].text;
    std::ranges::replace(figure, '-', '_');
    samples.add(figure, "gauge", labels, info->items[i + 1].integer);
  }
  co_return true;
}

// Tries these commands one after the other; the first that succeeds tells the type of the key.
Task<bool> add_key(Samples& samples, Services& services, std::string key) {
  struct Kind {
    const char* command;
    const char* prefix;
  };
  static constexpr Kind kKinds[] = {
      {"CHAN.INFO", "millrace_channel_"}, {"SHARD.INFO", "millrace_pool_"}, {"LOCK.INFO", "millrace_lock_"}};
  bool is_told = co_await add_log(samples, services, key);
  for (size_t i = 0; i < std::size(kKinds) && !is_told; ++i) {
    is_told = co_await add_described(samples, services, key, kKinds[i].command, kKinds[i].prefix);
  }
  co_return is_told;
}

// Keys of one node that match, within bounds.
Task<bool> add_matches(std::set<std::string>& keys, Services& services, NodeName node, std::string pattern) {
  std::string cursor = "0";
  size_t found = 0;
  for (int i = 0; i < kMostScans && found < kMostKeys; ++i) {
    Words words = {"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"};
    const Answer answer = co_await services.upstream.ask_at(node, std::move(words));
    if (!answer || answer->items.size() != 2) co_return false;
    for (const client::Reply& key : answer->items[1].items) keys.insert(key.text);
    found += answer->items[1].items.size();
    cursor = answer->items[0].text;
    if (cursor == "0") break;
  }
  co_return true;
}

// The keys of all patterns, each once, even if several patterns match it: Prometheus refuses a page with the same
// figure twice. They are sorted, so that the same keys are reported each time. A pattern without wildcards is a key.
Task<std::set<std::string>> keys_to_tell_of(Services& services) {
  std::set<std::string> named;
  std::set<std::string> matching;
  const std::vector<NodeName> nodes = services.upstream.nodes();
  for (const std::string& pattern : services.config.metric_keys) {
    if (pattern.find_first_of("*?[") == pattern.npos) {
      named.insert(pattern);
      continue;
    }
    for (const NodeName& node : nodes) co_await add_matches(matching, services, node, pattern);
  }
  for (auto key = matching.begin(); key != matching.end() && named.size() < kMostKeys; ++key) named.insert(*key);
  co_return named;
}

// The figures of each node of a cluster, by its name.
Task<bool> add_servers(Samples& samples, Services& services) {
  const std::vector<NodeName> nodes = services.upstream.nodes();
  for (const NodeName& node : nodes) {
    Words words = {"INFO", "millrace"};
    const Answer info = co_await services.upstream.ask_at(node, std::move(words));
    const std::string labels = node.endpoint ? '{' + label("node", node.endpoint->text()) + '}' : "";
    if (info) add_counters(samples, InfoText(info->text), labels);
  }
  co_return true;
}

Task<Response> metrics(Services& services, ExchangePtr) {
  Samples samples;
  add_own(samples, services);
  if (services.figures.webhooks != nullptr) add_webhooks(samples, *services.figures.webhooks);
  co_await add_servers(samples, services);
  const std::set<std::string> keys = co_await keys_to_tell_of(services);
  for (const std::string& key : keys) co_await add_key(samples, services, key);
  co_return Response{.body = samples.text(), .type = "text/plain; version=0.0.4; charset=utf-8"};
}

}  // namespace

const std::vector<Route>& metric_routes() {
  static const std::vector<Route> routes = {
      {"GET", "/metrics", metrics, Resource::Metrics, Right::Read, "Figures for Prometheus"}};
  return routes;
}

}  // namespace millrace::gateway
