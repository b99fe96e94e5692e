// JSON Web Tokens: checks that a token has a trusted signature and is valid now.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/auth/token_key.h"

namespace millrace::gateway {

struct TokenDemands {
  std::string issuer;    // empty: any
  std::string audience;  // empty: any
  int64_t leeway_seconds = 0;
};

// The claims of the token, or why it is refused. `now` is Unix time in seconds.
std::expected<JsonObject, std::string> verify_token(std::string_view token, const std::vector<TokenKey>& keys,
                                                    const TokenDemands& demands, int64_t now);

// Why these claims are not valid now (they have expired, or begin later); nullopt: they are valid.
std::optional<std::string> untimely(const JsonObject& claims, const TokenDemands& demands, int64_t now);

// When the token expires, in the same seconds. nullopt: it has no end.
std::optional<int64_t> end_of_token(const JsonObject& claims, const TokenDemands& demands);

// Whether a claim is this text, or a list that contains it.
bool claim_has(const JsonObject& claims, std::string_view name, std::string_view value);

}  // namespace millrace::gateway
