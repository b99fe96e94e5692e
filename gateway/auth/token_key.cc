#include "gateway/auth/token_key.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

using client::ErrorCode;
using client::Result;
using KeyPtr = std::shared_ptr<EVP_PKEY>;

constexpr size_t kShortestSecret = 32;  // bytes; a shorter secret can be guessed offline

KeyPtr owned_key(EVP_PKEY* key) { return key == nullptr ? nullptr : KeyPtr(key, EVP_PKEY_free); }

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return client::fail(ErrorCode::BadInput, "cannot read " + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A public key, or a certificate that has one.
KeyPtr key_in_pem(const std::string& pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  if (auto key = owned_key(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr))) return key;
  BIO_reset(bio.get());
  const std::unique_ptr<X509, void (*)(X509*)> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr),
                                                           X509_free);
  return certificate ? owned_key(X509_get_pubkey(certificate.get())) : nullptr;
}

// The kind of key that an algorithm needs: "RSA", "P-256", …; nothing for HS and for unknown algorithms.
std::string_view kind_for(std::string_view algorithm) {
  if (algorithm.starts_with("RS") || algorithm.starts_with("PS")) return "RSA";
  if (algorithm == "ES256") return "P-256";
  if (algorithm == "ES384") return "P-384";
  if (algorithm == "ES512") return "P-521";
  return algorithm == "EdDSA" ? "Ed25519" : "";
}

std::string kind_of(EVP_PKEY& key) {
  const int kind = EVP_PKEY_get_base_id(&key);
  if (kind == EVP_PKEY_RSA || kind == EVP_PKEY_RSA_PSS) return "RSA";
  if (kind == EVP_PKEY_ED25519) return "Ed25519";
  if (kind != EVP_PKEY_EC) return "";
  char group[64] = "";
  size_t size = 0;
  EVP_PKEY_get_utf8_string_param(&key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, &size);
  const std::string_view name(group);
  return name == "prime256v1" ? "P-256" : name == "secp384r1" ? "P-384" : name == "secp521r1" ? "P-521" : "";
}

constexpr std::string_view kAlgorithms[] = {"HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256",
                                            "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"};

Result<TokenKey> load_one(const KeyRule& rule) {
  if (std::ranges::find(kAlgorithms, rule.algorithm) == std::end(kAlgorithms)) {
    return client::fail(ErrorCode::BadInput, "there is no algorithm '" + rule.algorithm + "'");
  }
  auto text = read_file(rule.file);
  if (!text) return std::unexpected(text.error());
  TokenKey key{{rule.algorithm}, rule.id, {}, {}};
  if (rule.algorithm.starts_with("HS")) {
    while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
    if (text->size() < kShortestSecret) {
      return client::fail(ErrorCode::BadInput, "the secret in " + rule.file + " is shorter than 32 bytes");
    }
    key.secret = std::move(*text);
    return key;
  }
  key.key = key_in_pem(*text);
  if (!key.key || kind_of(*key.key) != kind_for(rule.algorithm)) {
    return client::fail(ErrorCode::BadInput, rule.file + " holds no public key for " + rule.algorithm);
  }
  return key;
}

Result<void> load_set(const KeyRule& rule, std::vector<TokenKey>& keys) {
  const auto text = read_file(rule.jwks);
  if (!text) return std::unexpected(text.error());
  const auto object = JsonObject::parse(*text);
  const auto items = object ? json_items(object->raw("keys").value_or("")) : std::nullopt;
  if (!items) return client::fail(ErrorCode::BadInput, rule.jwks + " is no JWKS");
  const size_t before = keys.size();
  for (const std::string_view item : *items) {
    const auto jwk = JsonObject::parse(item);
    if (!jwk) continue;
    if (auto key = key_of_jwk(*jwk)) keys.push_back(std::move(*key));
  }
  if (keys.size() == before) return client::fail(ErrorCode::BadInput, rule.jwks + " has no key for signatures");
  return {};
}

// --- keys as JSON ---

using Builder = std::unique_ptr<OSSL_PARAM_BLD, void (*)(OSSL_PARAM_BLD*)>;
using Number = std::unique_ptr<BIGNUM, void (*)(BIGNUM*)>;

KeyPtr built_key(const char* kind, OSSL_PARAM_BLD* builder) {
  const std::unique_ptr<OSSL_PARAM, void (*)(OSSL_PARAM*)> parameters(OSSL_PARAM_BLD_to_param(builder),
                                                                      OSSL_PARAM_free);
  const std::unique_ptr<EVP_PKEY_CTX, void (*)(EVP_PKEY_CTX*)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY* key = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
    return nullptr;
  }
  return owned_key(key);
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

KeyPtr rsa_key(const std::string& modulus, const std::string& exponent) {
  const Builder builder(OSSL_PARAM_BLD_new(), OSSL_PARAM_BLD_free);
  const Number n(BN_bin2bn(bytes_of(modulus), static_cast<int>(modulus.size()), nullptr), BN_free);
  const Number e(BN_bin2bn(bytes_of(exponent), static_cast<int>(exponent.size()), nullptr), BN_free);
  // Shorter keys have been broken, longer ones would take a second per check.
  if (!builder || !n || !e || BN_num_bits(n.get()) < 2048 || BN_num_bits(n.get()) > 8192) return nullptr;
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  return built_key("RSA", builder.get());
}

KeyPtr curve_key(const std::string& curve, const std::string& x, const std::string& y) {
  const size_t size = curve == "P-256" ? 32 : curve == "P-384" ? 48 : curve == "P-521" ? 66 : 0;
  if (size == 0 || x.size() != size || y.size() != size) return nullptr;
  const Builder builder(OSSL_PARAM_BLD_new(), OSSL_PARAM_BLD_free);
  const std::string point = '\x04' + x + y;
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve.c_str(), 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  return built_key("EC", builder.get());
}

// --- signatures ---

const EVP_MD* digest_of(std::string_view algorithm) {
  if (algorithm.ends_with("256")) return EVP_sha256();
  if (algorithm.ends_with("384")) return EVP_sha384();
  return algorithm.ends_with("512") ? EVP_sha512() : nullptr;
}

bool is_hmac(const std::string& secret, const EVP_MD* digest, std::string_view bytes, std::string_view signature) {
  unsigned char made[EVP_MAX_MD_SIZE];
  size_t size = 0;
  const KeyPtr key = owned_key(EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, nullptr, bytes_of(secret), secret.size()));
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  size = sizeof made;
  if (!key || EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), made, &size, bytes_of(bytes), bytes.size()) != 1) {
    return false;
  }
  return signature.size() == size && CRYPTO_memcmp(made, signature.data(), size) == 0;
}

// In tokens, the two numbers of a signature are concatenated; OpenSSL needs them in DER.
std::string as_der(std::string_view signature) {
  const size_t half = signature.size() / 2;
  ECDSA_SIG* const pair = ECDSA_SIG_new();
  ECDSA_SIG_set0(pair, BN_bin2bn(bytes_of(signature), static_cast<int>(half), nullptr),
                 BN_bin2bn(bytes_of(signature.substr(half)), static_cast<int>(half), nullptr));
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair, &der);
  std::string text(reinterpret_cast<char*>(der), static_cast<size_t>(std::max(size, 0)));
  OPENSSL_free(der);
  ECDSA_SIG_free(pair);
  return text;
}

}  // namespace

Result<std::vector<TokenKey>> load_token_keys(const std::vector<KeyRule>& rules) {
  std::vector<TokenKey> keys;
  for (const KeyRule& rule : rules) {
    Result<void> loaded;
    if (!rule.jwks.empty()) {
      loaded = load_set(rule, keys);
    } else if (auto key = load_one(rule)) {
      keys.push_back(std::move(*key));
    } else {
      loaded = std::unexpected(key.error());
    }
    if (!loaded) return client::fail(ErrorCode::BadInput, rule.where + ": " + loaded.error().text);
  }
  return keys;
}

std::optional<TokenKey> key_of_jwk(const JsonObject& jwk) {
  const auto decoded = [&](std::string_view name) {
    const auto text = jwk.text(name);
    return (text ? base64_decoded(*text) : std::nullopt).value_or("");
  };
  if (jwk.raw("use") && jwk.text("use") != "sig") return std::nullopt;
  TokenKey key{{}, jwk.text("kid").value_or(""), {}, {}};
  const std::string kind = jwk.text("kty").value_or("");
  const std::string curve = jwk.text("crv").value_or("");
  if (kind == "oct") {
    key.algorithms = {"HS256", "HS384", "HS512"};
    key.secret = decoded("k");
    if (key.secret.size() < kShortestSecret) return std::nullopt;
  } else if (kind == "RSA") {
    key.algorithms = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"};
    key.key = rsa_key(decoded("n"), decoded("e"));
  } else if (kind == "EC") {
    key.algorithms = {curve == "P-256" ? "ES256" : curve == "P-384" ? "ES384" : "ES512"};
    key.key = curve_key(curve, decoded("x"), decoded("y"));
  } else if (kind == "OKP" && curve == "Ed25519") {
    key.algorithms = {"EdDSA"};
    const std::string x = decoded("x");
    key.key = owned_key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(x), x.size()));
  }
  if (key.secret.empty() && !key.key) return std::nullopt;
  if (const auto only = jwk.text("alg")) {
    if (std::ranges::find(key.algorithms, *only) == key.algorithms.end()) return std::nullopt;
    key.algorithms = {*only};
  }
  return key;
}

bool is_signed(const TokenKey& key, std::string_view algorithm, std::string_view bytes, std::string_view signature) {
  const EVP_MD* const digest = digest_of(algorithm);
  if (algorithm.starts_with("HS")) return is_hmac(key.secret, digest, bytes, signature);
  std::string der;
  if (algorithm.starts_with("ES")) {
    const size_t size = algorithm == "ES256" ? 64 : algorithm == "ES384" ? 96 : 132;
    if (signature.size() != size) return false;
    der = as_der(signature);
    signature = der;
  }
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_PKEY_CTX* options = nullptr;
  if (EVP_DigestVerifyInit(context.get(), &options, digest, nullptr, key.key.get()) != 1) return false;
  if (algorithm.starts_with("PS") && (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) != 1 ||
                                      EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return false;
  }
  return EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(bytes), bytes.size()) == 1;
}

}  // namespace millrace::gateway
