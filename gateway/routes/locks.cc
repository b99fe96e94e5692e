#include "gateway/routes/locks.h"

#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/parameters.h"

namespace millrace::gateway {
namespace {

constexpr Milliseconds kUsualTtl{30'000};
constexpr Milliseconds kLongestTtl{9'007'199'254'740'991};

// The client's name: ?owner=, which every request about a lock has.
std::string owner_in(Parameters& parameters) {
  std::string owner = parameters.text("owner");
  if (owner.empty()) parameters.refuse("owner", "a name that is unique to the client");
  return owner;
}

Milliseconds ttl_in(Parameters& parameters) {
  const Milliseconds ttl = parameters.time("ttl", kUsualTtl, kLongestTtl);
  if (ttl < Milliseconds(1)) parameters.refuse("ttl", "a time such as 30s");
  return ttl;
}

// [1, token, lease, holds], or [0, 0, milliseconds, 0]
Task<Response> acquire(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  const std::string owner = owner_in(parameters);
  const Milliseconds ttl = ttl_in(parameters);
  const Milliseconds wait = parameters.time("wait", Milliseconds(0), services.config.longest_poll);
  const int64_t limit = parameters.number("limit", 0, 1, 4'294'967'295);
  const bool is_shared = parameters.is_on("shared");
  if (parameters.wrong()) co_return *parameters.wrong();
  Words words = {"LOCK.ACQUIRE", exchange->names[0], owner, std::to_string(ttl.count())};
  if (is_shared) words.emplace_back("SHARED");
  if (limit > 0) words.insert(words.end(), {"LIMIT", std::to_string(limit)});
  Answer answer = std::unexpected(client::Error{});
  if (wait > Milliseconds(0)) {
    // Waits on a separate connection from the start: trying first without waiting would lose the place in the line.
    words.insert(words.end(), {"WAIT", std::to_string(wait.count())});
    answer = co_await exchange->ask_waiting(services.upstream, std::move(words), wait);
  } else {
    answer = co_await services.upstream.ask(std::move(words));
  }
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (answer->items.size() != 4) co_return unavailable("an unexpected answer");
  const auto number = [&](size_t item) { return std::to_string(answer->items[item].integer); };
  const bool is_acquired = answer->items[0].integer != 0;
  // As for messages of a group: a client that has closed its side while it waited has most likely disconnected.
  if (wait > Milliseconds(0) ? exchange->is_given_up() : exchange->is_gone()) {
    Words release = {"LOCK.RELEASE", exchange->names[0], owner};
    if (is_acquired) services.upstream.call(std::move(release), 1, [](const Answer&) {});
    co_return unavailable("the client no longer waits for the answer");
  }
  if (!is_acquired) {
    co_return json_response(
        "{\"acquired\":false,\"code\":\"held\",\"error\":\"somebody else holds the lock\",\"wait\":" + number(2) + '}',
        409);
  }
  co_return json_response("{\"acquired\":true,\"holds\":" + number(3) + ",\"lease\":" + number(2) +
                          ",\"token\":" + number(1) + '}');
}

Task<Response> renew(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  const std::string owner = owner_in(parameters);
  const Milliseconds ttl = ttl_in(parameters);
  if (parameters.wrong()) co_return *parameters.wrong();
  Words words = {"LOCK.RENEW", exchange->names[0], owner, std::to_string(ttl.count())};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  if (answer->integer == 0) co_return error_response(409, "the owner does not hold the lock", "notowner");
  co_return json_response(R"({"renewed":true})");
}

Task<Response> release(Services& services, ExchangePtr exchange) {
  Parameters parameters(exchange->request);
  const std::string owner = owner_in(parameters);
  if (parameters.wrong()) co_return *parameters.wrong();
  Words words = {"LOCK.RELEASE", exchange->names[0], owner};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  co_return json_response("{\"holds\":" + std::to_string(answer->integer) + '}');
}

}  // namespace

const std::vector<Route>& lock_routes() {
  static const std::vector<Route> routes = {
      {"POST", "/v1/locks/{name}", acquire, Resource::Lock, Right::Write, "Acquires a lock",
       "owner ttl wait shared limit", "acquired:boolean holds?:integer lease?:integer token?:integer"},
      {"POST", "/v1/locks/{name}/renew", renew, Resource::Lock, Right::Write, "Renews the lease of a lock", "owner ttl",
       "renewed:boolean"},
      {"DELETE", "/v1/locks/{name}", release, Resource::Lock, Right::Write, "Releases a lock", "owner",
       "holds:integer"},
  };
  return routes;
}

}  // namespace millrace::gateway
