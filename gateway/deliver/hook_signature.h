// Signatures of webhooks, in the form of Standard Webhooks: a receiver that knows a secret can verify that a request is
// ours, and not an old one that was replayed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/error.h"

namespace millrace::gateway {

// The secrets in a file, one per line: "whsec_" and base64, or the bytes themselves. BadInput: the file cannot be read,
// or has no secrets.
client::Result<std::vector<std::string>> load_hook_secrets(const std::string& path);

// The header webhook-signature: "v1," and the base64 of HMAC-SHA256 over "id.timestamp.body", once for each secret.
std::string hook_signature(const std::vector<std::string>& secrets, std::string_view id, std::string_view timestamp,
                           std::string_view body);

// The header webhook-id: the same for all attempts of one message. `parts` make it unique.
std::string hook_id(const std::vector<std::string_view>& parts);

}  // namespace millrace::gateway
