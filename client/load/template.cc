#include "client/load/template.h"

#include <algorithm>
#include <charconv>

#include "client/load/command_line.h"

namespace millrace::client {
namespace {

TemplateField field_called(std::string_view name) {
  TemplateField field{TemplateField::Kind::Name, std::string(name)};
  if (name == "line") {
    field.kind = TemplateField::Kind::Line;
  } else if (name == "json") {
    field.kind = TemplateField::Kind::Json;
  } else if (name.starts_with('/')) {
    field.kind = TemplateField::Kind::Pointer;
  } else if (name.find_first_not_of("0123456789") == name.npos) {
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), field.column);
    if (problem == std::errc()) field.kind = TemplateField::Kind::Column;
  }
  return field;
}

}  // namespace

Result<Template> Template::parse(std::string_view text) {
  auto words = split_command_line(text);
  if (!words) return fail(ErrorCode::BadInput, "the template has " + words.error().text);
  if (words->empty()) {
    return fail(ErrorCode::BadInput, "the template is empty: it is a command, as in 'SET {id} {line}'");
  }
  Template made;
  for (const std::string& word : *words) {
    auto pieces = made.parse_word(word);
    if (!pieces) return std::unexpected(pieces.error());
    made.words_.push_back(std::move(*pieces));
  }
  return made;
}

Result<Template::Word> Template::parse_word(std::string_view text) {
  Word pieces;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) pieces.push_back({std::exchange(literal, {})});
  };
  while (!text.empty()) {
    if (text.starts_with("{{") || text.starts_with("}}")) {
      literal += text.front();
      text.remove_prefix(2);
    } else if (text.front() == '{') {
      const size_t close = text.find('}');
      if (close == text.npos) {
        return fail(ErrorCode::BadInput, "the template has a { that is not closed; {{ is a brace");
      }
      if (close == 1) return fail(ErrorCode::BadInput, "the template has a field without a name: {}");
      end_literal();
      pieces.push_back({{}, field_number(text.substr(1, close - 1))});
      text.remove_prefix(close + 1);
    } else if (text.front() == '}') {
      return fail(ErrorCode::BadInput, "the template has a } that closes nothing; }} is a brace");
    } else {
      literal += text.front();
      text.remove_prefix(1);
    }
  }
  end_literal();
  return pieces;
}

size_t Template::field_number(std::string_view name) {
  const auto found = std::ranges::find(fields_, name, &TemplateField::name);
  const size_t number = static_cast<size_t>(found - fields_.begin());
  if (found == fields_.end()) fields_.push_back(field_called(name));
  return number;
}

const std::vector<std::string_view>& Template::fill(std::span<const std::string_view> values) {
  const auto text_of = [&](const Piece& piece) {
    return piece.field == kNone ? std::string_view(piece.text) : values[piece.field];
  };
  // Words point into the buffer, so it must not move while it grows.
  size_t most = 0;
  for (const Word& word : words_) {
    if (word.size() < 2) continue;
    for (const Piece& piece : word) most += text_of(piece).size();
  }
  joined_.clear();
  joined_.reserve(most);
  filled_.clear();
  for (const Word& word : words_) {
    if (word.size() == 1) {
      filled_.push_back(text_of(word.front()));
      continue;
    }
    const size_t begin = joined_.size();
    for (const Piece& piece : word) joined_ += text_of(piece);
    filled_.push_back(std::string_view(joined_).substr(begin));
  }
  return filled_;
}

}  // namespace millrace::client
