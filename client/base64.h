// Bytes as base64 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace::client {

std::string base64(std::string_view bytes);
// Standard or URL alphabet, with or without padding. nullopt: invalid.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace millrace::client
