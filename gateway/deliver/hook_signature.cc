#include "gateway/deliver/hook_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <fstream>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr size_t kIdBytes = 15;

}  // namespace

client::Result<std::vector<std::string>> load_hook_secrets(const std::string& path) {
  using client::ErrorCode;
  std::ifstream file(path, std::ios::binary);
  if (!file) return client::fail(ErrorCode::BadInput, "cannot read the secrets in " + path);
  std::vector<std::string> secrets;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) continue;
    if (!line.starts_with(kSecretPrefix)) {
      secrets.push_back(std::move(line));
      continue;
    }
    auto secret = base64_decoded(std::string_view(line).substr(kSecretPrefix.size()));
    if (!secret || secret->empty()) return client::fail(ErrorCode::BadInput, "a secret in " + path + " is not base64");
    secrets.push_back(std::move(*secret));
  }
  if (secrets.empty()) return client::fail(ErrorCode::BadInput, "there is no secret in " + path);
  return secrets;
}

std::string hook_signature(const std::vector<std::string>& secrets, std::string_view id, std::string_view timestamp,
                           std::string_view body) {
  std::string text;
  text.reserve(id.size() + timestamp.size() + body.size() + 2);
  text.append(id).append(1, '.').append(timestamp).append(1, '.').append(body);
  std::string signatures;
  for (const std::string& secret : secrets) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
    if (!signatures.empty()) signatures += ' ';
    signatures += "v1," + base64({reinterpret_cast<const char*>(digest), size});
  }
  return signatures;
}

std::string hook_id(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(std::to_string(part.size())).append(1, ':').append(part);
  unsigned char digest[EVP_MAX_MD_SIZE];
  EVP_Digest(text.data(), text.size(), digest, nullptr, EVP_sha256(), nullptr);
  std::string id = "msg_";
  for (size_t i = 0; i < kIdBytes; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    id += kDigits[digest[i] >> 4];
    id += kDigits[digest[i] & 15];
  }
  return id;
}

}  // namespace millrace::gateway
