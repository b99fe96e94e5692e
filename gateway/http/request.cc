#include "gateway/http/request.h"

#include <algorithm>

namespace millrace::gateway {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = lower(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool parse_query(std::string_view text, bool may_have_nul, Request& request) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    const size_t equal = std::min(pair.find('='), pair.size());
    auto name = percent_decoded(pair.substr(0, equal), true, may_have_nul);
    auto value = percent_decoded(pair.substr(std::min(equal + 1, pair.size())), true, may_have_nul);
    if (!name || !value) return false;
    if (!name->empty()) request.query.emplace_back(std::move(*name), std::move(*value));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

template <class Same>
std::optional<std::string_view> first_of(const std::vector<std::pair<std::string, std::string>>& pairs, Same same) {
  const auto found = std::ranges::find_if(pairs, same, [](const auto& pair) { return std::string_view(pair.first); });
  if (found == pairs.end()) return std::nullopt;
  return found->second;
}

}  // namespace

bool same_letters(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, [](char a, char b) { return lower(a) == lower(b); });
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  return first_of(headers, [&](std::string_view one) { return same_letters(one, name); });
}

std::optional<std::string_view> Request::parameter(std::string_view name) const {
  return first_of(query, [&](std::string_view one) { return one == name; });
}

std::optional<std::string> percent_decoded(std::string_view text, bool is_form, bool may_have_nul) {
  const bool is_plain = text.find('%') == text.npos && (!is_form || text.find('+') == text.npos);
  if (is_plain && (may_have_nul || text.find('\0') == text.npos)) return std::string(text);
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && is_form) {
      c = ' ';
    }
    if (c == '\0' && !may_have_nul) return std::nullopt;
    decoded += c;
  }
  return decoded;
}

bool parse_target(std::string_view target, Request& request) {
  if (!target.starts_with('/')) return false;
  const size_t mark = std::min(target.find('?'), target.size());
  std::string_view path = target.substr(0, mark);
  request.path = path;
  // The console shows every key, whatever its name is.
  const bool may_have_nul = path.starts_with("/v1/admin/");
  request.segments.reserve(static_cast<size_t>(std::ranges::count(path, '/')));
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t end = std::min(path.find('/'), path.size());
    auto segment = percent_decoded(path.substr(0, end), false, may_have_nul);
    if (!segment) return false;
    request.segments.push_back(std::move(*segment));
    path.remove_prefix(end);
  }
  return mark == target.size() || parse_query(target.substr(mark + 1), may_have_nul, request);
}

bool names_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    const std::string_view item = list.substr(0, end);
    if (same_letters(trimmed(item.substr(0, item.find(';'))), word)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace millrace::gateway
