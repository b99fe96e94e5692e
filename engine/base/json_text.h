// Strings as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/utf8.h"

namespace millrace {

// Choices that JSON leaves to the writer. The result means the same in every style, but its bytes differ. Some texts
// are saved or hashed (ids of filters, tags of dead letters, checkpoints of a load), so do not change the style of an
// existing text.
struct JsonStyle {
  bool has_short_escapes = true;  // \n, \r, \t; else \u000a, \u000d, \u0009
  bool escapes_delete = false;    // write the byte 0x7f as \u007f: JSON allows the plain byte, but a terminal does not
                                  // print it
};

// Appends the bytes as a JSON string, quotes included. UTF-8 stays as it is. A byte that is not part of valid UTF-8
// becomes \u0080 to \u00ff, so that the result is always valid JSON.
inline void append_json_string(std::string& to, ByteView bytes, JsonStyle style = {}) {
  const auto is_plain = [&](char c) {
    return c >= 0x20 && c != '"' && c != '\\' && (c != 0x7f || !style.escapes_delete);
  };
  const auto escape = [&](char c) {
    const char letter = c == '"' || c == '\\'      ? c
                        : !style.has_short_escapes ? '\0'
                        : c == '\n'                ? 'n'
                        : c == '\r'                ? 'r'
                        : c == '\t'                ? 't'
                                                   : '\0';
    to += '\\';
    if (letter != '\0') {
      to += letter;
      return;
    }
    constexpr char kDigits[] = "0123456789abcdef";
    const auto code = static_cast<uint8_t>(c);
    to += "u00";
    to += kDigits[code >> 4];
    to += kDigits[code & 15];
  };
  to += '"';
  append_escaped(to, bytes, is_plain, escape);
  to += '"';
}

}  // namespace millrace
