#include "gateway/auth/token.h"

#include <algorithm>
#include <charconv>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

constexpr size_t kLongestToken = 16 << 10;

// A time of a token; JSON may write it with a fraction.
std::optional<int64_t> time_claim(const JsonObject& claims, std::string_view name) {
  const auto raw = claims.raw(name);
  if (!raw) return std::nullopt;
  double seconds = 0;
  const auto [end, problem] = std::from_chars(raw->data(), raw->data() + raw->size(), seconds);
  // An invalid time counts as long ago.
  if (problem != std::errc() || end != raw->data() + raw->size() || seconds < 0 || seconds > 1e15) return 0;
  return static_cast<int64_t>(seconds);
}

}  // namespace

std::optional<int64_t> end_of_token(const JsonObject& claims, const TokenDemands& demands) {
  const auto end = time_claim(claims, "exp");
  return end ? std::optional(*end + demands.leeway_seconds) : std::nullopt;
}

std::optional<std::string> untimely(const JsonObject& claims, const TokenDemands& demands, int64_t now) {
  if (const auto end = end_of_token(claims, demands); end && now >= *end) return "it has expired";
  const auto begin = time_claim(claims, "nbf");
  if (begin == 0 && claims.raw("nbf") != "0") return "its nbf is not a time";
  return begin && now < *begin - demands.leeway_seconds ? std::optional("it is not valid yet") : std::nullopt;
}

bool claim_has(const JsonObject& claims, std::string_view name, std::string_view value) {
  const auto raw = claims.raw(name);
  if (!raw) return false;
  if (const auto text = json_string_value(*raw)) return *text == value;
  if (const auto items = json_items(*raw)) {
    return std::ranges::any_of(*items, [&](std::string_view item) {
      const auto text = json_string_value(item);
      return text ? *text == value : item == value;
    });
  }
  return *raw == value;  // a number, true or false
}

std::expected<JsonObject, std::string> verify_token(std::string_view token, const std::vector<TokenKey>& keys,
                                                    const TokenDemands& demands, int64_t now) {
  const auto refuse = [](std::string why) { return std::unexpected(std::move(why)); };
  const size_t first = token.find('.');
  const size_t second = token.find('.', first == token.npos ? token.npos : first + 1);
  if (token.size() > kLongestToken || second == token.npos || token.find('.', second + 1) != token.npos) {
    return refuse("it is not a token");
  }
  const auto head_json = base64_decoded(token.substr(0, first));
  const auto body_json = base64_decoded(token.substr(first + 1, second - first - 1));
  const auto signature = base64_decoded(token.substr(second + 1));
  const auto head = head_json ? JsonObject::parse(*head_json) : std::nullopt;
  if (!head || !body_json || !signature) return refuse("it is not a token");
  const auto algorithm = head->text("alg");
  const auto id = head->text("kid");
  // "crit" lists extensions that must be supported: we support none.
  if (!algorithm || head->raw("crit")) return refuse("its signature algorithm is not supported");
  const bool is_known = std::ranges::any_of(keys, [&](const TokenKey& key) {
    return std::ranges::find(key.algorithms, *algorithm) != key.algorithms.end() &&
           (key.id.empty() || !id || key.id == *id) && is_signed(key, *algorithm, token.substr(0, second), *signature);
  });
  if (!is_known) return refuse("it is not signed by a known key");
  auto claims = JsonObject::parse(*body_json);
  if (!claims) return refuse("it has no claims");
  if (auto why = untimely(*claims, demands, now)) return refuse(std::move(*why));
  if (!demands.issuer.empty() && claims->text("iss") != demands.issuer) return refuse("it has another issuer");
  if (!demands.audience.empty() && !claim_has(*claims, "aud", demands.audience)) {
    return refuse("it has another audience");
  }
  return std::move(*claims);
}

}  // namespace millrace::gateway
