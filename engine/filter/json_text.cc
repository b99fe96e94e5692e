#include "engine/filter/json_text.h"

#include <simdjson.h>

#include <charconv>
#include <cmath>

namespace millrace {

namespace {

void append_escaped(std::string& to, char c) {
  switch (c) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\n':
      to += "\\n";
      return;
    case '\r':
      to += "\\r";
      return;
    case '\t':
      to += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) >= 0x20) {
    to += c;
    return;
  }
  to += "\\u00";
  to += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
  to += "0123456789abcdef"[c & 15];
}

void append_number(std::string& to, Number number) {
  char text[40];
  char* const end = text + sizeof(text);
  if (number.is_whole()) {
    to.append(text, std::to_chars(text, end, number.whole()).ptr);
    return;
  }
  // The shortest text of a large one may be 20 digits, which no parser takes for a double.
  const double value = number.approximate();
  const auto format = std::fabs(value) < 1e18 ? std::chars_format::general : std::chars_format::scientific;
  to.append(text, std::to_chars(text, end, value, format).ptr);
}

}  // namespace

bool is_utf8(ByteView text) { return text.empty() || simdjson::validate_utf8(text.data(), text.size()); }

void append_json_string(std::string& to, ByteView text) {
  to += '"';
  for (char c : text) append_escaped(to, c);
  to += '"';
}

void append_json(std::string& to, const ScalarView& value) {
  switch (value.kind) {
    case ScalarKind::Null:
      to += "null";
      return;
    case ScalarKind::Boolean:
      to += value.boolean ? "true" : "false";
      return;
    case ScalarKind::Number:
      append_number(to, value.number);
      return;
    case ScalarKind::String:
      append_json_string(to, value.text);
      return;
    case ScalarKind::Nested:
      return;
  }
}

}  // namespace millrace
