#include "gateway/admin/gateways.h"

#include <openssl/rand.h>

#include <algorithm>

#include "gateway/admin/board.h"
#include "gateway/admin/command_words.h"
#include "gateway/admin/connections.h"
#include "gateway/admin/console_state.h"
#include "gateway/admin/reply_json.h"
#include "gateway/auth/authority.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/figures.h"
#include "version.h"

namespace millrace::gateway {
namespace {

using client::Reply;

constexpr const char* kNames = "millrace:gateway:names";
constexpr int64_t kRegisterMs = 10'000;
constexpr const char* kGoneMs = "30000";
constexpr Milliseconds kWaitForOrders{20'000};
constexpr const char* kWaitForOrdersSeconds = "20";
constexpr int64_t kPauseMs = 500;          // after the server could not be asked
constexpr const char* kOrderMs = "30000";  // an order is dropped if it is not taken in this time
constexpr int64_t kLookForAnswerMs = 100;
constexpr int kMostLooks = 40;
constexpr size_t kMostGateways = 1000;
// How long a revoked token without a known end is refused.
constexpr int64_t kRevokedSeconds = 400LL * 24 * 3600;

std::string place_key(const std::string& name) { return "millrace:gateway:at:" + name; }
std::string orders_key(const std::string& name) { return "millrace:gateway:orders:" + name; }
std::string answer_key(const std::string& id) { return "millrace:gateway:answer:" + id; }

auto wait_for(EventLoop& loop, int64_t ms) {
  return told<bool>([&loop, ms](std::function<void(bool)> done) {
    loop.after(Milliseconds(ms), [done = std::move(done)] { done(true); });
  });
}

// The description of this gateway.
std::string own_json(const Services& services) {
  std::string json = "{\"name\":";
  append_string(json, services.config.name);
  json += ",\"address\":";
  append_string(json, services.config.listen.empty() ? "" : services.config.listen.front());
  json += R"(,"version":")" MILLRACE_VERSION R"(","since":)" + std::to_string(services.console.began);
  json += ",\"connections\":" + std::to_string(services.figures.connections) +
          ",\"streams\":" + std::to_string(services.figures.streams) +
          ",\"sockets\":" + std::to_string(services.figures.sockets);
  return json + '}';
}

std::string random_id() {
  unsigned char random[18];
  RAND_bytes(random, sizeof random);
  return base64({reinterpret_cast<const char*>(random), sizeof random});
}

// Names of all gateways that were active recently. nullopt: the server could not be asked.
Task<std::optional<std::vector<std::string>>> gateway_names(Services& services) {
  Words words = {"SMEMBERS", kNames};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (!answer || !answer->is_array()) co_return std::nullopt;
  std::vector<std::string> names;
  for (const Reply& name : answer->items) names.push_back(name.text);
  std::ranges::sort(names);
  co_return names;
}

// Puts an order into the list of a gateway. False: the server could not be asked.
Task<bool> give_order(Services& services, std::string to, std::string order) {
  const std::string key = orders_key(to);
  Words push = {"RPUSH", key, std::move(order)};
  const Answer answer = co_await services.upstream.ask(std::move(push));
  Words expire = {"PEXPIRE", key, kOrderMs};
  services.upstream.call(std::move(expire), 1, [](const Answer&) {});
  co_return answer && !answer->is_error();
}

// An order to another gateway, and its answer.
Task<Response> order(Services& services, std::string to, std::string what) {
  Words exists = {"EXISTS", place_key(to)};
  const Answer there = co_await services.upstream.ask(std::move(exists));
  if (auto failed = failure_of(there)) co_return std::move(*failed);
  if (there->integer == 0) co_return error_response(404, "there is no gateway of this name", "missing");
  const std::string id = random_id();
  std::string json = "{\"id\":";
  append_string(json, id);
  json += ',' + what + '}';
  const bool is_given = co_await give_order(services, to, json);
  if (!is_given) co_return unavailable("the server could not be reached");
  for (int looks = 0; looks < kMostLooks; ++looks) {
    co_await wait_for(services.loop, kLookForAnswerMs);
    Words pop = {"LPOP", answer_key(id)};
    const Answer answer = co_await services.upstream.ask(std::move(pop));
    if (auto failed = failure_of(answer)) co_return std::move(*failed);
    if (!answer->is_nil()) co_return Response{.body = answer->text};
  }
  // It must not be carried out after this answer.
  Words take_back = {"LREM", orders_key(to), "1", json};
  co_await services.upstream.ask(std::move(take_back));
  co_return unavailable("the gateway did not answer in time");
}

bool is_this(const Services& services, const std::string& name) { return name == services.config.name; }

}  // namespace

// --- orders from other gateways ---

Registration::Registration(Services& services) : services_(services) {
  services_.loop.later([this, state = state_] {
    if (!state->is_alive) return;
    register_again();
    take_orders();
  });
}

Registration::~Registration() {
  state_->is_alive = false;
  state_->for_orders.cancel();
}

Detached Registration::register_again() {
  const auto state = state_;
  while (!has_left_) {
    // In this order: a name without a description is that of a gateway that is gone, and is removed.
    Words set = {"SET", place_key(services_.config.name), own_json(services_), "PX", kGoneMs};
    co_await services_.upstream.ask(std::move(set));
    if (!state->is_alive) co_return;
    Words add = {"SADD", kNames, services_.config.name};
    co_await services_.upstream.ask(std::move(add));
    if (!state->is_alive) co_return;
    co_await wait_for(services_.loop, kRegisterMs);
    if (!state->is_alive) co_return;
  }
}

void Registration::leave() {
  has_left_ = true;
  Words gone = {"DEL", place_key(services_.config.name)};
  services_.upstream.call(std::move(gone), 1, [](const Answer&) {});
}

// The command waits at the server. So a revoked token ends its streams at once, and a gateway without orders costs the
// server only three commands a minute. An order may be lost with the connection, or dropped while the server cannot be
// reached; so then the tokens of all streams are checked.
Detached Registration::take_orders() {
  const auto state = state_;
  const std::string key = orders_key(services_.config.name);
  while (!has_left_) {
    const Answer answer = co_await told<Answer>([&](Link::Done done) {
      const NodeName node = services_.upstream.node_name_of(key);
      Words pop = {"BLPOP", key, kWaitForOrdersSeconds};
      services_.upstream.call_waiting_at(node, std::move(pop), kWaitForOrders, state->for_orders, std::move(done));
    });
    if (!state->is_alive) co_return;
    if (answer && answer->is_array() && answer->items.size() == 2) {
      co_await carry_out(answer->items[1].text);
    } else if (!answer || !answer->is_nil()) {
      may_have_missed_ = true;
      if (!is_making_up_) make_up_for_orders();
      co_await wait_for(services_.loop, kPauseMs);
    }
    if (!state->is_alive) co_return;
  }
}

// Beside the orders, because a hundred thousand tokens take a while.
Detached Registration::make_up_for_orders() {
  const auto state = state_;
  is_making_up_ = true;
  while (may_have_missed_) {
    co_await wait_for(services_.loop, kPauseMs);
    if (!state->is_alive) co_return;
    may_have_missed_ = false;
    const bool has_checked = co_await end_revoked_streams(services_);
    if (!state->is_alive) co_return;
    may_have_missed_ = may_have_missed_ || !has_checked;
  }
  is_making_up_ = false;
}

Task<bool> Registration::carry_out(std::string text) {
  const auto order = JsonObject::parse(text);
  const auto id = order ? order->text("id") : std::nullopt;
  if (!id) co_return false;
  const std::string what = order->text("do").value_or("");
  Response response;
  if (what == "connections") {
    const int64_t count = std::clamp<int64_t>(order->number("count").value_or(kUsualPage), 1, kMostPage);
    const std::string search = order->text("search").value_or("");
    const std::string cursor = order->text("cursor").value_or("");
    response = co_await connections_page(services_, search, cursor, static_cast<size_t>(count));
  } else if (what == "disconnect") {
    const std::string connection = order->text("connection").value_or("");
    response = co_await end_connection(services_, connection);
  } else if (what == "revoke") {
    const std::string token = order->text("jti").value_or("");
    co_await end_streams_of(services_, token);
    co_return true;
  }
  const std::string key = answer_key(*id);
  Words push = {"RPUSH", key, response.body};
  co_await services_.upstream.ask(std::move(push));
  Words expire = {"PEXPIRE", key, kOrderMs};
  co_await services_.upstream.ask(std::move(expire));
  co_return true;
}

// --- requests of a console ---

Task<Response> list_gateways(Services& services, ExchangePtr) {
  auto names = co_await gateway_names(services);
  if (!names) co_return unavailable("the server could not be reached");
  if (names->size() > kMostGateways) names->resize(kMostGateways);
  std::string json = "{\"items\":[";
  const auto add = [&](std::string item, bool is_own) {
    if (json.back() != '[') json += ',';
    item.back() = ',';
    json += item + (is_own ? "\"this\":true}" : "\"this\":false}");
  };
  add(own_json(services), true);
  for (const std::string& name : *names) {
    if (is_this(services, name)) continue;
    Words get = {"GET", place_key(name)};
    const Answer answer = co_await services.upstream.ask(std::move(get));
    const auto item = answer && answer->kind == Reply::Kind::Text ? compact_json(answer->text) : std::nullopt;
    if (item && item->starts_with("{\"")) {
      add(*item, false);
    } else if (answer && answer->is_nil()) {
      Words gone = {"SREM", kNames, name};
      services.upstream.call(std::move(gone), 1, [](const Answer&) {});
    }
  }
  co_return json_response(json + "]}");
}

Task<Response> list_connections(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  const std::string search = input.value("search").value_or("");
  const std::string cursor = input.value("cursor").value_or("");
  const int64_t count = input.count();
  if (input.wrong()) co_return *input.wrong();
  const std::string gateway = exchange->names[0];
  if (is_this(services, gateway)) {
    co_return co_await connections_page(services, search, cursor, static_cast<size_t>(count));
  }
  std::string what = "\"do\":\"connections\",\"count\":" + std::to_string(count) + ",\"search\":";
  append_string(what, search);
  what += ",\"cursor\":";
  append_string(what, cursor);
  co_return co_await order(services, gateway, std::move(what));
}

Task<Response> disconnect(Services& services, ExchangePtr exchange) {
  const std::string gateway = exchange->names[0];
  const std::string id = exchange->names[1];
  if (is_this(services, gateway)) co_return co_await end_connection(services, id);
  std::string what = "\"do\":\"disconnect\",\"connection\":";
  append_string(what, id);
  co_return co_await order(services, gateway, std::move(what));
}

Task<Response> revoke_token(Services& services, ExchangePtr exchange) {
  AdminInput input(*exchange);
  const std::string id = input.value("jti").value_or("");
  const int64_t usual = unix_ms() / 1000 + kRevokedSeconds;
  const auto end = parse_number(input.value("exp").value_or(std::to_string(usual)), 1, 253'402'300'799);
  if (id.empty()) input.refuse("expected 'jti'");
  if (!end) input.refuse("invalid 'exp': expected a time in Unix seconds");
  if (input.wrong()) co_return *input.wrong();
  const int64_t forget = *end + services.config.leeway.count() / 1000;
  Words words = {"SET", services.authority.revocation_key(id), "1", "EXAT", std::to_string(forget)};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  const size_t ended = co_await end_streams_of(services, id);
  const auto names = co_await gateway_names(services);
  bool are_told = names.has_value();
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (is_this(services, name)) continue;
    std::string json = R"({"id":"-","do":"revoke","jti":)";
    append_string(json, id);
    json += '}';
    const bool is_given = co_await give_order(services, name, json);
    are_told = are_told && is_given;
  }
  if (!are_told) co_return unavailable("the token is revoked, but not all gateways were told: ask again");
  std::string json = "{\"jti\":";
  append_string(json, id);
  co_return json_response(json + ",\"exp\":" + std::to_string(*end) + ",\"ended\":" + std::to_string(ended) + '}');
}

}  // namespace millrace::gateway
