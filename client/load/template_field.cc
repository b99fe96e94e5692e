#include "client/load/template_field.h"

#include <algorithm>
#include <charconv>

namespace millrace::client {
namespace {

constexpr size_t kWidest = 1000;

bool is_digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

TemplateField::Kind kind_of(std::string_view name, size_t& column) {
  if (name == "line") return TemplateField::Kind::Line;
  if (name == "json") return TemplateField::Kind::Json;
  if (name.starts_with('/')) return TemplateField::Kind::Pointer;
  if (is_digits(name)) {
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), column);
    if (problem == std::errc()) return TemplateField::Kind::Column;
  }
  return TemplateField::Kind::Name;
}

// Removes a suffix like ":06d".
Result<std::optional<TemplateField::Padding>> take_padding(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0 || !text.ends_with('d')) return std::nullopt;
  std::string_view width = text.substr(colon + 1, text.size() - colon - 2);
  if (!is_digits(width)) return std::nullopt;
  TemplateField::Padding padding{0, width.front() == '0' ? '0' : ' '};
  const auto [end, problem] = std::from_chars(width.data(), width.data() + width.size(), padding.width);
  if (problem != std::errc() || padding.width > kWidest) {
    return fail(ErrorCode::BadInput,
                "{" + std::string(text) + "}: a number is padded to " + std::to_string(kWidest) + " digits at most");
  }
  text = text.substr(0, colon);
  return padding;
}

}  // namespace

Result<TemplateField> TemplateField::parse(std::string_view text) {
  TemplateField field{Kind::Name, {}};
  field.whole = text;
  const auto padding = take_padding(text);
  if (!padding) return std::unexpected(padding.error());
  field.padding = *padding;
  if (const size_t bar = text.find('|'); bar != text.npos && bar > 0) {
    field.fallback = text.substr(bar + 1);
    text = text.substr(0, bar);
  } else if (text.size() > 1 && text.ends_with('?')) {
    field.is_optional = true;
    text.remove_suffix(1);
  }
  field.name = text;
  field.kind = kind_of(text, field.column);
  return field;
}

Result<void> pad(std::string& to, std::string_view number, const TemplateField& field) {
  std::string_view digits = number;
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (!is_digits(digits)) {
    return fail(ErrorCode::BadInput,
                field.name + ": '" + std::string(number) + "' is no whole number, which {" + field.whole + "} needs");
  }
  const size_t length = digits.size() + (is_negative ? 1 : 0);
  const std::string filling(field.padding->width - std::min(length, field.padding->width), field.padding->with);
  const std::string sign = is_negative ? "-" : "";
  to = field.padding->with == '0' ? sign + filling : filling + sign;
  to += digits;
  return {};
}

}  // namespace millrace::client
