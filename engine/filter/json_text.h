// JSON as text: how strings and numbers are written, one way each.
#pragma once

#include <string>

#include "engine/base/bytes.h"
#include "engine/filter/scalar.h"

namespace millrace {

bool is_utf8(ByteView text);

// With quotes, and escapes only where JSON demands them. REQUIRES: UTF-8
void append_json_string(std::string& to, ByteView text);
// REQUIRES: not Nested
void append_json(std::string& to, const ScalarView& value);

}  // namespace millrace
