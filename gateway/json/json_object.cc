#include "gateway/json/json_object.h"

#include <charconv>
#include <memory>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

// The end of the value that begins here. REQUIRES: compact JSON from here on.
size_t value_end(std::string_view json, size_t at) {
  size_t depth = 0;
  for (; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      for (++at; json[at] != '"'; ++at) {
        if (json[at] == '\\') ++at;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      --depth;
    } else if ((c == ',' || c == ':') && depth == 0) {
      return at;
    }
  }
  return at;
}

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  }
}

std::optional<uint32_t> four_digits(std::string_view json, size_t at) {
  uint32_t code = 0;
  if (json.size() < at + 4) return std::nullopt;
  const auto [end, problem] = std::from_chars(json.data() + at, json.data() + at + 4, code, 16);
  if (problem != std::errc() || end != json.data() + at + 4) return std::nullopt;
  return code;
}

// The code behind "\u"; moves the place to its last digit.
std::optional<uint32_t> code_point(std::string_view json, size_t& at) {
  const auto high = four_digits(json, at + 1);
  if (!high) return std::nullopt;
  at += 4;
  if (*high < 0xd800 || *high > 0xdfff) return high;
  if (*high > 0xdbff || json.substr(at + 1, 2) != "\\u") return std::nullopt;
  const auto low = four_digits(json, at + 3);
  if (!low || *low < 0xdc00 || *low > 0xdfff) return std::nullopt;
  at += 6;
  return 0x10000 + ((*high - 0xd800) << 10) + (*low - 0xdc00);
}

}  // namespace

std::optional<std::string> json_string_value(std::string_view json) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return std::nullopt;
  json = json.substr(1, json.size() - 2);
  std::string text;
  text.reserve(json.size());
  for (size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '\\') {
      text += json[at];
      continue;
    }
    if (++at == json.size()) return std::nullopt;
    constexpr std::string_view kLetters = "bfnrt";
    constexpr std::string_view kMeant = "\b\f\n\r\t";
    if (json[at] == 'u') {
      const auto code = code_point(json, at);
      if (!code) return std::nullopt;
      append_utf8(text, *code);
    } else if (const size_t letter = kLetters.find(json[at]); letter != kLetters.npos) {
      text += kMeant[letter];
    } else {
      text += json[at];
    }
  }
  return text;
}

std::optional<std::vector<std::string_view>> json_items(std::string_view json) {
  if (json.size() < 2 || json.front() != '[') return std::nullopt;
  std::vector<std::string_view> items;
  for (size_t at = 1; at < json.size() && json[at] != ']';) {
    const size_t end = value_end(json, at);
    items.push_back(json.substr(at, end - at));
    at = end < json.size() && json[end] == ',' ? end + 1 : end;
  }
  return items;
}

std::optional<JsonObject> JsonObject::parse(std::string_view text) {
  auto compact = compact_json(text);
  if (!compact || compact->front() != '{') return std::nullopt;
  JsonObject object;
  object.json_ = std::make_shared<const std::string>(std::move(*compact));
  const std::string_view json = *object.json_;
  for (size_t at = 1; json[at] != '}';) {
    const size_t colon = value_end(json, at);
    auto name = json_string_value(json.substr(at, colon - at));
    if (!name) return std::nullopt;
    const size_t end = value_end(json, colon + 1);
    object.fields_.emplace_back(std::move(*name), json.substr(colon + 1, end - colon - 1));
    at = json[end] == ',' ? end + 1 : end;
  }
  return object;
}

std::optional<std::string_view> JsonObject::raw(std::string_view name) const {
  for (auto field = fields_.rbegin(); field != fields_.rend(); ++field) {
    if (field->first == name) return field->second;
  }
  return std::nullopt;
}

std::optional<std::string> JsonObject::text(std::string_view name) const {
  const auto json = raw(name);
  return json ? json_string_value(*json) : std::nullopt;
}

std::optional<int64_t> JsonObject::number(std::string_view name) const {
  const auto json = raw(name);
  if (!json) return std::nullopt;
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(json->data(), json->data() + json->size(), value);
  if (problem != std::errc() || end != json->data() + json->size()) return std::nullopt;
  return value;
}

}  // namespace millrace::gateway
