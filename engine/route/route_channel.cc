#include "engine/route/route_channel.h"

#include <algorithm>
#include <array>

#include "engine/base/decoder.h"
#include "engine/base/varint.h"

namespace millrace {

namespace {

constexpr std::array<uint32_t, 256> kCrcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xedb88320U : value >> 1;
    table[i] = value;
  }
  return table;
}();

void append_part(std::string& to, const std::optional<ByteView>& part) {
  append_varint(to, part ? part->size() + 1 : 0);
  if (part) to += *part;
}

// Whether one of several words between colons is a word that separates parts.
bool has_marker(ByteView part) {
  if (part.find(':') == ByteView::npos) return false;
  for (size_t begin = 0; begin <= part.size();) {
    const size_t end = std::min(part.find(':', begin), part.size());
    const ByteView word = part.substr(begin, end - begin);
    if (word == "user" || word == "model" || word == "id") return true;
    begin = end + 1;
  }
  return false;
}

void append_name(std::string& to, ByteView before, ByteView part) {
  to += before;
  const bool escapes_colons = has_marker(part);
  const bool escapes_percents =
      escapes_colons || part.find("%3A") != ByteView::npos || part.find("%25") != ByteView::npos;
  if (!escapes_percents) return void(to += part);
  for (char c : part) {
    if (c == ':' && escapes_colons) {
      to += "%3A";
    } else if (c == '%') {
      to += "%25";
    } else {
      to += c;
    }
  }
}

}  // namespace

std::string RouteChannel::name() const {
  std::string text;
  append_name(text, "app:", app);
  if (user) append_name(text, ":user:", *user);
  append_name(text, ":model:", model);
  if (id) append_name(text, ":id:", *id);
  return text;
}

std::string RouteChannel::key() const {
  std::string bytes;
  append_part(bytes, app);
  append_part(bytes, model);
  append_part(bytes, user);
  append_part(bytes, id);
  return bytes;
}

std::vector<RouteChannel> RouteChannel::patterns() const {
  std::vector<RouteChannel> found{{app, model, std::nullopt, std::nullopt}};
  if (id) found.push_back({app, model, std::nullopt, id});
  if (user) found.push_back({app, model, user, std::nullopt});
  if (user && id) found.push_back(*this);
  return found;
}

RouteChannel read_channel(Decoder& in) {
  const auto part = [&]() -> std::optional<ByteView> {
    const uint64_t size = in.number();
    return size == 0 ? std::nullopt : std::optional(in.bytes(size - 1));
  };
  RouteChannel channel;
  channel.app = part().value_or(ByteView());
  channel.model = part().value_or(ByteView());
  channel.user = part();
  channel.id = part();
  return channel;
}

RouteChannel channel_of(ByteView key) {
  Decoder in(key);
  return read_channel(in);
}

uint32_t partition_of(ByteView name, uint32_t partitions) {
  uint32_t crc = UINT32_MAX;
  for (char c : name) crc = crc >> 8 ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 255];
  return ~crc % partitions;
}

}  // namespace millrace
