#include "client/load/command_line.h"

#include <optional>

namespace millrace::client {
namespace {

// The same characters as for the server: those of isspace() in the C locale.
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

char escaped(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return letter;
  }
}

// Removes one word from the front of `line`. REQUIRES: `line` begins with a word.
class Word {
 public:
  explicit Word(std::string_view& line) : line_(line) {}

  Result<std::string> take() {
    while (!line_.empty() && !is_space(line_.front())) {
      const char c = next();
      if (c != '"' && c != '\'') {
        word_ += c;
        continue;
      }
      if (!(c == '"' ? take_double_quoted() : take_single_quoted())) {
        return fail(ErrorCode::BadInput, "quotes that do not close");
      }
      if (!line_.empty() && !is_space(line_.front())) {
        return fail(ErrorCode::BadInput, "text right behind a closing quote");
      }
    }
    return std::move(word_);
  }

 private:
  char next() {
    const char c = line_.front();
    line_.remove_prefix(1);
    return c;
  }

  bool take_double_quoted() {
    while (!line_.empty()) {
      const char c = next();
      if (c == '"') return true;
      word_ += c == '\\' && !line_.empty() ? escape() : c;
    }
    return false;
  }

  // Decodes the characters after a backslash.
  char escape() {
    if (line_.size() >= 3 && line_[0] == 'x') {
      const auto high = hex_digit(line_[1]), low = hex_digit(line_[2]);
      if (high && low) {
        line_.remove_prefix(3);
        return static_cast<char>(*high * 16 + *low);
      }
    }
    return escaped(next());
  }

  bool take_single_quoted() {
    while (!line_.empty()) {
      const char c = next();
      if (c == '\'') return true;
      word_ += c == '\\' && line_.starts_with('\'') ? next() : c;
    }
    return false;
  }

  std::string_view& line_;
  std::string word_;
};

}  // namespace

Result<std::vector<std::string>> split_command_line(std::string_view line) {
  std::vector<std::string> words;
  for (;;) {
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    if (line.empty()) return words;
    auto word = Word(line).take();
    if (!word) return std::unexpected(word.error());
    words.push_back(std::move(*word));
  }
}

}  // namespace millrace::client
