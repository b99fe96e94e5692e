#include "gateway/auth/authority.h"

#include <chrono>
#include <utility>

#include "gateway/routes/answers.h"

namespace millrace::gateway {
namespace {

int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Response no_token(std::string_view why) {
  Response response = error_response(401, why, "unauthorized");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

// A cookie of the request.
std::optional<std::string_view> cookie_in(const Request& request, std::string_view name) {
  for (std::string_view left = request.header("cookie").value_or(""); !left.empty();) {
    const size_t end = std::min(left.find(';'), left.size());
    std::string_view pair = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
      return pair.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::string caller_name(const JsonObject& claims, const std::string& peer) {
  for (const std::string_view name : {"sub", "jti"}) {
    if (auto text = claims.text(name)) return *text;
  }
  return peer;
}

// When a token ends, by the clock of the loops.
Moment end_of_claims(const JsonObject& claims, const TokenDemands& demands) {
  constexpr int64_t kForever = 10LL * 365 * 24 * 3600;
  const auto end = end_of_token(claims, demands);
  if (!end || *end - unix_seconds() > kForever) return Moment::max();
  const auto left = std::chrono::seconds(*end) - std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<Moment::duration>(left);
}

}  // namespace

client::Result<std::shared_ptr<const Authority>> Authority::make(const Config& config) {
  auto keys = load_token_keys(config.keys);
  if (!keys) return std::unexpected(keys.error());
  auto rules = AccessRules::compile(config);
  if (!rules) return std::unexpected(rules.error());
  return std::shared_ptr<const Authority>(new Authority(config, std::move(*keys), std::move(*rules)));
}

Authority::Authority(const Config& config, std::vector<TokenKey> keys, AccessRules rules)
    : keys_(std::move(keys)),
      rules_(std::move(rules)),
      browsers_(config.origins, config.credentials),
      demands_{config.issuer, config.audience, config.leeway.count() / 1000},
      cookie_(config.cookie),
      revocations_(config.revocations + ":"),
      audit_(config.audit) {}

Task<std::expected<std::shared_ptr<const Caller>, Response>> Authority::identify(Upstream& upstream,
                                                                                 ExchangePtr exchange) const {
  const Request& request = exchange->request;
  // A ticket can be used once, for clients that cannot send headers.
  if (const auto ticket = request.parameter("ticket")) {
    Words words = {"GETDEL", ticket_key(*ticket)};
    const Answer answer = co_await upstream.ask(std::move(words));
    if (!answer) co_return std::unexpected(unavailable(answer.error().text));
    auto claims = answer->kind == client::Reply::Kind::Text ? JsonObject::parse(answer->text) : std::nullopt;
    if (!claims) co_return std::unexpected(no_token("the ticket is not known, or was used"));
    if (const auto why = untimely(*claims, demands_, unix_seconds())) {
      co_return std::unexpected(no_token("the token of the ticket is refused: " + *why));
    }
    co_return co_await known_caller(upstream, exchange, std::move(*claims), true);
  }
  std::optional<std::string_view> token;
  bool is_cookie = false;
  if (const auto header = request.header("authorization")) {
    if (!header->starts_with("Bearer ")) co_return std::unexpected(no_token("only Bearer tokens are accepted"));
    token = header->substr(7);
  } else if (!cookie_.empty()) {
    token = cookie_in(request, cookie_);
    is_cookie = token.has_value();
  }
  if (!token) {
    auto caller = std::make_shared<Caller>();
    caller->name = exchange->peer;
    const bool is_forwarded = request.header("forwarded") || request.header("x-forwarded-for");
    caller->is_trusted = keys_.empty() && rules_.is_empty() && is_loopback(exchange->peer) && !is_forwarded &&
                         names_loopback(request) && browsers_.trusts_page(request);
    co_return std::shared_ptr<const Caller>(std::move(caller));
  }
  // A browser sends cookies with requests of any page.
  if (is_cookie && !browsers_.trusts_cookie(request)) {
    co_return std::unexpected(error_response(403, "a page of another host may not use the cookie", "origin"));
  }
  auto claims = verify_token(*token, keys_, demands_, unix_seconds());
  if (!claims) co_return std::unexpected(no_token("the token is refused: " + claims.error()));
  co_return co_await known_caller(upstream, exchange, std::move(*claims), false);
}

Task<Authority::Known> Authority::known_caller(Upstream& upstream, ExchangePtr exchange, JsonObject claims,
                                               bool has_ticket) const {
  const auto id = claims.text("jti");
  if (!id && claims.raw("jti")) co_return std::unexpected(no_token("the token is refused: its jti is not a text"));
  if (id) {
    Words words = {"EXISTS", revocation_key(*id)};
    const Answer answer = co_await upstream.ask(std::move(words));
    if (!answer || answer->is_error()) {
      co_return std::unexpected(unavailable("it cannot be checked now whether the token was revoked"));
    }
    if (answer->integer != 0) co_return std::unexpected(no_token("the token is refused: it was revoked"));
  }
  auto caller = std::make_shared<Caller>();
  caller->name = caller_name(claims, exchange->peer);
  caller->until = end_of_claims(claims, demands_);
  caller->claims = std::move(claims);
  caller->has_ticket = has_ticket;
  co_return std::shared_ptr<const Caller>(std::move(caller));
}

Authority::Access Authority::access(const Caller& caller, Resource resource, std::string_view name, Right right) const {
  if (!allows(caller, resource, name, right)) return Access::Forbidden;
  const bool exists = resource != Resource::Channel || rules_.channel_expiry(name);
  return exists ? Access::Allowed : Access::NoSuchChannel;
}

bool Authority::allows(const Caller& caller, Resource resource, std::string_view name, Right right) const {
  if (resource == Resource::None) return true;
  // Only gateways write to the audit log; the console reads it.
  if (!audit_.empty() && name == audit_ && resource != Resource::Admin) return false;
  if (caller.is_trusted) return true;
  // Keys that only gateways may use: a log with such a name would revoke a token.
  if (name.starts_with(kOwnKeys) || name.starts_with(revocations_)) return false;
  const JsonObject* const claims = caller.claims ? &*caller.claims : nullptr;
  if (resource == Resource::Channel && !rules_.channel_allows(name, claims)) return false;
  // Each request over the connection is checked separately.
  if (resource == Resource::Connect) return claims != nullptr || !rules_.is_empty();
  // Every client with a token may get a ticket for it.
  if (resource == Resource::Ticket) return claims != nullptr;
  // With keys and without rules, a token is sufficient; routes that change tokens need a rule.
  if (rules_.is_empty()) return claims != nullptr && resource != Resource::Admin;
  return rules_.allows(resource, name, right, claims);
}

}  // namespace millrace::gateway
