#include "client/load/template.h"

#include <algorithm>
#include <utility>

#include "client/load/command_line.h"

namespace millrace::client {
namespace {

std::string_view text_of_piece(const std::string& text, size_t field, size_t none,
                               std::span<const std::string_view> values) {
  return field == none ? std::string_view(text) : values[field];
}

}  // namespace

Result<Template> Template::parse(std::span<const std::string_view> texts) {
  Template made;
  for (const std::string_view text : texts) {
    auto words = split_command_line(text);
    if (!words) return fail(ErrorCode::BadInput, "the template has " + words.error().text);
    if (words->empty()) {
      return fail(ErrorCode::BadInput, "the template is empty: it is a command, as in 'SET {id} {line}'");
    }
    Command& command = made.commands_.emplace_back();
    for (const std::string& word : *words) {
      auto pieces = made.parse_word(word);
      if (!pieces) return std::unexpected(pieces.error());
      command.push_back(std::move(*pieces));
    }
  }
  made.filled_.resize(made.commands_.size());
  return made;
}

Result<Template::Word> Template::parse_word(std::string_view text) {
  Word word;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) word.pieces.push_back({std::exchange(literal, {})});
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
      const auto field = field_number(text.substr(1, close - 1));
      if (!field) return std::unexpected(field.error());
      word.is_optional = word.is_optional || fields_[*field].is_optional;
      word.pieces.push_back({{}, *field});
      text.remove_prefix(close + 1);
    } else if (text.front() == '}') {
      return fail(ErrorCode::BadInput, "the template has a } that closes nothing; }} is a brace");
    } else {
      literal += text.front();
      text.remove_prefix(1);
    }
  }
  end_literal();
  return word;
}

Result<size_t> Template::field_number(std::string_view text) {
  const auto found = std::ranges::find(fields_, text, &TemplateField::whole);
  const size_t number = static_cast<size_t>(found - fields_.begin());
  if (found != fields_.end()) return number;
  auto field = TemplateField::parse(text);
  if (!field) return std::unexpected(field.error());
  fields_.push_back(std::move(*field));
  return number;
}

std::span<const std::vector<std::string_view>> Template::fill(std::span<const std::string_view> values) {
  // The buffer must not move while it grows, because words point into it.
  size_t most = 0;
  for (const Command& command : commands_) {
    for (const Word& word : command) {
      if (word.pieces.size() < 2) continue;
      for (const Piece& piece : word.pieces) most += text_of_piece(piece.text, piece.field, kNone, values).size();
    }
  }
  joined_.clear();
  joined_.reserve(most);
  size_t made = 0;
  for (const Command& command : commands_) {
    if (fill_command(command, values, filled_[made])) ++made;
  }
  return std::span(filled_).first(made);
}

// False if no word of the command is left.
bool Template::fill_command(const Command& command, std::span<const std::string_view> values,
                            std::vector<std::string_view>& words) {
  constexpr size_t kBeginning = 2;  // the command's name, and its key
  words.clear();
  bool lacks_something = false;
  for (size_t i = 0; i < command.size(); ++i) {
    const Word& word = command[i];
    const auto is_missing_piece = [&](const Piece& piece) {
      return piece.field != kNone && is_missing(values[piece.field]);
    };
    if (word.is_optional && std::ranges::any_of(word.pieces, is_missing_piece)) {
      lacks_something = true;
      if (i > kBeginning && command[i - 1].is_literal()) words.pop_back();
      continue;
    }
    words.push_back(filled_word(word, values));
  }
  return !lacks_something || words.size() > kBeginning;
}

std::string_view Template::filled_word(const Word& word, std::span<const std::string_view> values) {
  if (word.pieces.size() == 1) return text_of_piece(word.pieces[0].text, word.pieces[0].field, kNone, values);
  const size_t begin = joined_.size();
  for (const Piece& piece : word.pieces) joined_ += text_of_piece(piece.text, piece.field, kNone, values);
  // An empty value must differ from a missing one.
  return std::string_view(joined_.data() + begin, joined_.size() - begin);
}

}  // namespace millrace::client
