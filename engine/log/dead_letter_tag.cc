#include "engine/log/dead_letter_tag.h"

namespace millrace {

namespace {

// How many bytes of valid UTF-8 begin `text`: 1 to 4, or 0 if it begins with none.
size_t utf8_length(ByteView text) {
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

void append_json(std::string& out, ByteView text) {
  out += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto byte = static_cast<uint8_t>(text[0]);
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      if (byte == '"' || byte == '\\') out += '\\';
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

std::string dead_letter_tag(bool expired, uint32_t attempts, Offset offset, ByteView group, ByteView key,
                            ByteView tag) {
  std::string out = expired ? R"({"why":"expired","attempts":)" : R"({"why":"attempts","attempts":)";
  out += std::to_string(attempts) + ",\"offset\":" + std::to_string(offset.value()) + ",\"group\":";
  append_json(out, group);
  out += ",\"key\":";
  append_json(out, key);
  out += ",\"tag\":";
  append_json(out, tag);
  return out + "}";
}

}  // namespace millrace
