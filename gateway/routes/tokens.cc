#include "gateway/routes/tokens.h"

#include <openssl/rand.h>

#include <algorithm>

#include "gateway/auth/authority.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/figures.h"

namespace millrace::gateway {
namespace {

constexpr Milliseconds kTicketTime{60'000};

Task<Response> revoke(Services& services, ExchangePtr exchange) {
  const auto id = exchange->request.parameter("jti");
  const auto given = exchange->request.parameter("exp");
  const auto end = given ? parse_number(*given, 1, 253'402'300'799) : std::nullopt;
  if (!id || id->empty()) co_return error_response(400, "Invalid \"jti\" parameter");
  if (!end) co_return error_response(400, "Invalid \"exp\" parameter");
  // Because clocks may differ, a token may still be accepted shortly after its end.
  const int64_t forget = *end + services.config.leeway.count() / 1000;
  Words words = {"SET", services.authority.revocation_key(*id), "1", "EXAT", std::to_string(forget)};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  std::string json = "{\"exp\":" + std::to_string(*end) + ",\"jti\":";
  append_string(json, *id);
  co_return json_response(json + '}');
}

// Only answers are logged, at the level INFO: as plain text, unless the configuration says json.
Task<Response> set_log_level(Services& services, ExchangePtr exchange) {
  constexpr std::string_view kLevels[] = {"DEBUG", "INFO", "WARN", "ERROR", "FATAL"};
  const auto level = exchange->request.parameter("level").value_or("");
  if (std::ranges::none_of(kLevels, [&](std::string_view one) { return same_letters(one, level); })) {
    co_return error_response(400, "Invalid \"level\" parameter");
  }
  services.figures.writes_access_log = same_letters(level, "DEBUG") || same_letters(level, "INFO");
  co_return Response{.status = 204};
}

Task<Response> make_ticket(Services& services, ExchangePtr exchange) {
  if (!exchange->caller->claims) co_return error_response(401, "a ticket can only be made for a token", "unauthorized");
  // Otherwise an expiring ticket could be renewed for ever.
  if (exchange->caller->has_ticket) co_return error_response(403, "a ticket can only be made for a token", "forbidden");
  unsigned char random[18];
  if (RAND_bytes(random, sizeof random) != 1) co_return unavailable("no random numbers");
  std::string ticket = base64({reinterpret_cast<const char*>(random), sizeof random});
  std::ranges::replace(ticket, '+', '-');
  std::ranges::replace(ticket, '/', '_');
  std::string claims = "{";
  for (const auto& [name, value] : exchange->caller->claims->fields()) {
    if (claims.size() > 1) claims += ',';
    append_string(claims, name);
    claims += ':' + std::string(value);
  }
  // No longer than the token.
  const auto left = std::chrono::ceil<Milliseconds>(exchange->caller->until - std::chrono::steady_clock::now());
  const Milliseconds time = std::clamp(left, Milliseconds(1), kTicketTime);
  Words words = {"SET", Authority::ticket_key(ticket), claims + '}', "PX", std::to_string(time.count())};
  const Answer answer = co_await services.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return std::move(*failed);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
  co_return json_response(R"({"expires":)" + std::to_string(seconds) + R"(,"ticket":")" + ticket + "\"}", 201);
}

}  // namespace

const std::vector<Route>& admin_routes() {
  static const std::vector<Route> routes = {
      {"PUT", "/admin/jwt/revoke", revoke, Resource::Admin, Right::Write, "Revokes a token (DSPS)", "jti exp",
       "jti:string exp:integer"},
      {"PUT", "/admin/log/level", set_log_level, Resource::Admin, Right::Write,
       "DEBUG and INFO write the access log (DSPS)", "category level"},
  };
  return routes;
}

const std::vector<Route>& ticket_routes() {
  static const std::vector<Route> routes = {
      {"POST", "/v1/tickets", make_ticket, Resource::Ticket, Right::Read,
       "Makes a ticket that stands for the token once, as ?ticket=", "", "ticket:string expires:integer"},
  };
  return routes;
}

}  // namespace millrace::gateway
