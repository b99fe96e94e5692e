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
  std::vector<std::string> algorithms;  // with which it may be used: a public key never as a secret
  std::string id;                       // "kid"; empty: any
  std::string secret;                   // of HS…
  std::shared_ptr<evp_pkey_st> key;     // of the others
};

// BadInput, with the place of the rule: a file that cannot be read, or holds no such key.
client::Result<std::vector<TokenKey>> load_token_keys(const std::vector<KeyRule>& rules);

// A key of a JWKS. Nothing: of a kind that is not for signatures, or not known.
std::optional<TokenKey> key_of_jwk(const JsonObject& jwk);

// Whether these bytes are signed so. REQUIRES: the key may be used with the algorithm.
bool is_signed(const TokenKey& key, std::string_view algorithm, std::string_view bytes, std::string_view signature);

}  // namespace millrace::gateway
