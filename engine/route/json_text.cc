#include "engine/route/json_text.h"

#include <simdjson.h>

#include <charconv>

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

template <class Value>
void append_number(std::string& to, Value value) {
  char text[40];
  to.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace

bool is_utf8(ByteView text) { return simdjson::validate_utf8(text.data(), text.size()); }

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
      value.number.is_whole() ? append_number(to, value.number.whole()) : append_number(to, value.number.approximate());
      return;
    case ScalarKind::String:
      append_json_string(to, value.text);
      return;
  }
}

}  // namespace millrace
