#include "client/escape.h"

#include <cstdio>

#include "engine/base/utf8.h"

namespace millrace::client {

void append_printable(std::string& out, std::string_view bytes) {
  const auto is_plain = [](char c) { return c >= 0x20 && c != 0x7f && c != '\\'; };
  append_escaped(out, bytes, is_plain, [&](char c) {
    switch (c) {
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
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += code;
  });
}

}  // namespace millrace::client
