// Any bytes as text that stays on one line: for JSON, and for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/json_text.h"

namespace millrace::client {

// Appends the bytes as a JSON string, quotes included. A byte that is not UTF-8 becomes \u0080 to \u00ff, as in dead
// letters: nothing is lost, and the result is always valid JSON. Do not change its style: checkpoints of a load contain
// such strings.
inline void append_json_string(std::string& out, std::string_view bytes) {
  millrace::append_json_string(out, bytes, {.escapes_delete = true});
}

// Appends the bytes in readable form. Bytes that would break the line or the terminal are escaped as in C: \n, \t, \\,
// \x1b. Text in UTF-8 stays as it is.
void append_printable(std::string& out, std::string_view bytes);

}  // namespace millrace::client
