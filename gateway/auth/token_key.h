// What tokens are signed with: a secret, or a public key.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/error.h"
#include "gateway/config/config.h"
#include "gateway/json/json_object.h"

struct evp_pkey_st;

namespace millrace::gateway {

struct TokenKey {
  std::vector<std::string> algorithms;  // algorithms that it may be used with: a public key is never used as a secret
  std::string id;                       // "kid"; empty: any
  std::string secret;                   // for the HS algorithms…
  std::shared_ptr<evp_pkey_st> key;     // for the others
};

// BadInput, with the place of the rule: a file cannot be read, or does not contain such a key.
client::Result<std::vector<TokenKey>> load_token_keys(const std::vector<KeyRule>& rules);

// A key of a JWKS. nullopt: it is not for signatures, or its kind is unknown.
std::optional<TokenKey> key_of_jwk(const JsonObject& jwk);

// Whether the signature of these bytes is valid. REQUIRES: the key may be used with the algorithm.
bool is_signed(const TokenKey& key, std::string_view algorithm, std::string_view bytes, std::string_view signature);

}  // namespace millrace::gateway
