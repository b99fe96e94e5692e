// Bytes of any kind as text in UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/bytes.h"

namespace millrace {

// The length of the character that `text` begins with, 1 to 4 bytes; 0 if it does not begin with valid UTF-8.
// REQUIRES: !text.empty()
constexpr size_t utf8_length(ByteView text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                        : (lead & 0xf0) == 0xe0        ? 3
                        : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Not the shortest form, a surrogate, or beyond the last code point.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf0 && byte(1) < 0x90) ||
      (lead == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return length;
}

constexpr bool is_utf8(ByteView text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Appends the bytes to a text. Characters of several bytes, and ASCII bytes for which is_plain(byte) is true, are
// appended as they are. Every other byte, and every byte that is not part of valid UTF-8, is passed to escape(byte),
// which appends its escaped form.
template <class IsPlain, class Escape>
void append_escaped(std::string& to, ByteView bytes, IsPlain is_plain, Escape escape) {
  while (true) {
    const auto end = std::ranges::find_if_not(bytes, [&](char c) { return (c & 0x80) == 0 && is_plain(c); });
    const auto plain = static_cast<size_t>(end - bytes.begin());
    to += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    if (bytes.empty()) return;
    const size_t length = utf8_length(bytes);
    if (length > 1) {
      to += bytes.substr(0, length);
    } else {
      escape(bytes.front());
    }
    bytes.remove_prefix(std::max<size_t>(length, 1));
  }
}

}  // namespace millrace
