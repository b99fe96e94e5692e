// Values as JSON: a value that is JSON is inserted into answers as it was written, any other value as base64.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/base64.h"
#include "engine/base/json_text.h"

namespace millrace::gateway {

// The same JSON without blanks between its parts, on one line; numbers, strings and the order of keys stay as they were
// written. nullopt: the text is not JSON (RFC 8259), not UTF-8, or nested deeper than 512 levels.
std::optional<std::string> compact_json(std::string_view text);

using client::base64;
using client::base64_decoded;

// Appends `"name":value`, and `,"encoding":"base64"` if the value is not JSON.
void append_value(std::string& out, std::string_view name, std::string_view value);

// Appends the text as a JSON string. Bytes that are not valid UTF-8 become \u0080 to \u00ff.
inline void append_string(std::string& out, std::string_view text) { append_json_string(out, text); }

}  // namespace millrace::gateway
