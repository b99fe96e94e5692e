#include "gateway/admin/command_words.h"

#include <algorithm>

#include "engine/base/utf8.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"

namespace millrace::gateway {
namespace {

// Before a cursor that is base64.
constexpr char kEncoded = '~';

// Removes the next word from the template; with brackets, everything between them.
std::string_view next_word(std::string_view& left) {
  const size_t end = left.starts_with('[') ? left.find(']') + 1 : std::min(left.find(' '), left.size());
  const std::string_view word = left.substr(0, end);
  left.remove_prefix(std::min(end + 1, left.size()));
  return word;
}

std::optional<std::string> bytes_of(std::string_view raw) {
  if (raw == "null") return std::nullopt;
  if (raw.starts_with('"')) return json_string_value(raw);
  if (raw.starts_with("{\"base64\":")) {
    const auto object = JsonObject::parse(raw);
    const auto text = object && object->fields().size() == 1 ? object->text("base64") : std::nullopt;
    if (text) return base64_decoded(*text);
  }
  return std::string(raw);
}

class Filler {
 public:
  explicit Filler(AdminInput& input) : input_(input) {}

  AdminCommand run(std::string_view text) {
    while (!text.empty()) add(next_word(text));
    return std::move(command_);
  }

 private:
  void add(std::string_view word) {
    if (word.starts_with('[')) return add_optional(word.substr(1, word.size() - 2));
    if (word.starts_with('$')) {
      const auto number = static_cast<size_t>(word[1] - '1');
      if (number == 0) command_.key = command_.words.size();
      command_.words.push_back(input_.names()[number]);
    } else if (word.starts_with('<') && word.size() > 1 && word != "<=") {
      add_parameter(word.substr(1, word.size() - 2));
    } else {
      command_.words.emplace_back(word);
    }
  }

  void add_optional(std::string_view inside) {
    const size_t space = inside.rfind(' ');
    const std::string_view last = inside.substr(space + 1);
    const bool is_flag = last.starts_with('?');
    const std::string_view name = is_flag ? last.substr(1) : last.substr(1, last.size() - 2);
    if (is_flag ? !input_.is_true(name) : !input_.value(name)) return;
    std::string_view left = is_flag ? inside.substr(0, space) : inside;
    while (!left.empty()) add(next_word(left));
  }

  void add_parameter(std::string_view name) {
    if (name == "count") return command_.words.push_back(std::to_string(input_.count()));
    if (name == "count+1") return command_.words.push_back(std::to_string(input_.count() + 1));
    if (name.ends_with("...")) {
      name.remove_suffix(3);
      std::vector<std::string> items = input_.list(name);
      if (items.empty()) input_.refuse("expected a list '" + std::string(name) + "'");
      std::ranges::move(items, std::back_inserter(command_.words));
      return;
    }
    const size_t equal = name.find('=');
    auto value = input_.value(name.substr(0, equal));
    if (!value && equal == name.npos) input_.refuse("expected '" + std::string(name) + "'");
    command_.words.push_back(value ? std::move(*value) : equal == name.npos ? "" : std::string(name.substr(equal + 1)));
  }

  AdminInput& input_;
  AdminCommand command_;
};

}  // namespace

AdminInput::AdminInput(const Exchange& exchange) : exchange_(exchange) {
  if (!exchange.request.body.empty()) {
    body_ = JsonObject::parse(exchange.request.body);
    if (!body_) refuse("the body is no JSON object");
  }
  // Without this, a cursor that cannot be decoded would count as no cursor, and the list would begin again.
  if (as_sent("cursor") && !value("cursor")) refuse("invalid 'cursor'");
}

std::optional<std::string> AdminInput::as_sent(std::string_view name) const {
  if (const auto field = raw(name)) return bytes_of(*field);
  const auto parameter = exchange_.request.parameter(name);
  return parameter ? std::optional(std::string(*parameter)) : std::nullopt;
}

std::optional<std::string> AdminInput::value(std::string_view name) const {
  auto bytes = as_sent(name);
  if (name == "cursor" && bytes && bytes->starts_with(kEncoded)) return base64_decoded(bytes->substr(1));
  return bytes;
}

std::optional<std::string_view> AdminInput::raw(std::string_view name) const {
  return body_ ? body_->raw(name) : std::nullopt;
}

bool AdminInput::is_true(std::string_view name) const {
  const auto given = value(name);
  return given && (*given == "true" || *given == "1");
}

std::vector<std::string> AdminInput::list(std::string_view name) const {
  std::vector<std::string> items;
  if (const auto field = raw(name)) {
    for (const std::string_view item : json_items(*field).value_or(std::vector<std::string_view>{})) {
      if (auto bytes = bytes_of(item)) items.push_back(std::move(*bytes));
    }
    return items;
  }
  const auto given = exchange_.request.parameter(name);
  for (std::string_view left = given.value_or(""); !left.empty();) {
    const size_t end = std::min(left.find(','), left.size());
    if (end > 0) items.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return items;
}

int64_t AdminInput::count() {
  const auto given = value("count");
  if (!given) return kUsualPage;
  const auto number = parse_number(*given, 1, kMostPage);
  if (!number) refuse("invalid 'count': expected a number from 1 to " + std::to_string(kMostPage));
  return number.value_or(kUsualPage);
}

void AdminInput::refuse(const std::string& what) {
  if (!wrong_) wrong_ = error_response(400, what, "invalid");
}

void append_cursor(std::string& json, std::string_view cursor) {
  json += ",\"cursor\":";
  append_string(json,
                is_utf8(cursor) && !cursor.starts_with(kEncoded) ? std::string(cursor) : kEncoded + base64(cursor));
}

AdminCommand fill_template(std::string_view text, AdminInput& input) { return Filler(input).run(text); }

}  // namespace millrace::gateway
