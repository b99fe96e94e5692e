#include "client/escape.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdio>

namespace millrace::client {
namespace {

// How many bytes of valid UTF-8 begin the text, 1 to 4, or 0 if it begins with none.
size_t character_length(std::string_view text) {
  for (size_t length = 1; length <= std::min<size_t>(text.size(), 4); ++length) {
    if (simdjson::validate_utf8(text.data(), length)) return length;
  }
  return 0;
}

bool is_plain(char byte) { return static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f && byte != '\\'; }

// Appends `text`, with every character that is not plain handed to `escape`.
template <class IsPlain, class Escape>
void append(std::string& out, std::string_view text, IsPlain plain, Escape escape) {
  while (!text.empty()) {
    const auto stop = std::ranges::find_if_not(text, [&](char c) { return plain(c) && (c & 0x80) == 0; });
    const size_t length = static_cast<size_t>(stop - text.begin());
    out += text.substr(0, length);
    text.remove_prefix(length);
    if (text.empty()) return;
    const size_t character = character_length(text);
    if (character > 1) {
      out += text.substr(0, character);
    } else {
      escape(text.front());
    }
    text.remove_prefix(std::max<size_t>(character, 1));
  }
}

void append_byte(std::string& out, char byte, const char* code_format) {
  switch (byte) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\\':
      out += "\\\\";
      return;
    default:
      break;
  }
  char text[8];
  std::snprintf(text, sizeof text, code_format, static_cast<unsigned>(static_cast<unsigned char>(byte)));
  out += text;
}

}  // namespace

void append_json_string(std::string& out, std::string_view bytes) {
  out += '"';
  append(
      out, bytes, [](char byte) { return is_plain(byte) && byte != '"'; },
      [&](char byte) {
        if (byte == '"') {
          out += "\\\"";
        } else {
          append_byte(out, byte, "\\u%04x");
        }
      });
  out += '"';
}

void append_printable(std::string& out, std::string_view bytes) {
  append(out, bytes, is_plain, [&](char byte) { append_byte(out, byte, "\\x%02x"); });
}

}  // namespace millrace::client
