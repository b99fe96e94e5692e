// Tokens of clients: a token that was not signed by our keys is never accepted. The first byte chooses what is tried:
// the input as a token, or the input as claims, which are signed first so that they are checked.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/auth/token.h"
#include "gateway/json/json_text.h"

namespace {

using namespace millrace::gateway;

const std::string kSecret = "a secret that is long enough for everybody";

std::string part(std::string_view bytes) {
  std::string text = base64(bytes);
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::string signed_token(std::string_view claims) {
  const std::string text = part(R"({"alg":"HS256"})") + '.' + part(claims);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), kSecret.data(), static_cast<int>(kSecret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return text + '.' + part({reinterpret_cast<const char*>(digest), size});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::vector<TokenKey> keys = {{{"HS256"}, "", kSecret, {}}};
  const TokenDemands demands{.issuer = "us", .audience = "all", .leeway_seconds = 5};
  constexpr int64_t kNow = 2'000'000'000;
  if (bytes[0] % 2 == 0) {
    REQUIRE(!verify_token(text, keys, demands, kNow));
    return 0;
  }
  const auto claims = verify_token(signed_token(text), keys, demands, kNow);
  if (!claims) {
    REQUIRE(!claims.error().empty());
    return 0;
  }
  REQUIRE(claims->text("iss") == "us");
  REQUIRE(claim_has(*claims, "aud", "all"));
  return 0;
}
