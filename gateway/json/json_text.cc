#include "gateway/json/json_text.h"

#include <cstdint>

#include "engine/base/utf8.h"

namespace millrace::gateway {
namespace {

constexpr size_t kMostLevels = 512;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads JSON from front to back with an explicit stack, so that untrusted text cannot overflow the call stack.
class Compactor {
 public:
  explicit Compactor(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::optional<std::string> run() {
    if (!value()) return std::nullopt;
    while (!open_.empty()) {
      if (!after_value()) return std::nullopt;
    }
    skip_blanks();
    if (at_ != text_.size()) return std::nullopt;
    return std::move(out_);
  }

 private:
  // A value, or the beginning of an array or object that is not empty, with its first key.
  bool value() {
    for (;;) {
      skip_blanks();
      if (at_ == text_.size()) return false;
      const char c = text_[at_];
      if (c != '{' && c != '[') return scalar(c);
      take();
      skip_blanks();
      if (at_ < text_.size() && text_[at_] == (c == '{' ? '}' : ']')) {
        take();
        return true;
      }
      if (open_.size() == kMostLevels) return false;
      open_ += c;
      if (c == '{' && !key()) return false;
    }
  }

  // What follows a value inside an array or object: its end, or the next value.
  bool after_value() {
    skip_blanks();
    if (at_ == text_.size()) return false;
    const char c = text_[at_];
    const bool is_object = open_.back() == '{';
    if (c == (is_object ? '}' : ']')) {
      take();
      open_.pop_back();
      return true;
    }
    if (c != ',') return false;
    take();
    return (!is_object || key()) && value();
  }

  bool key() {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != '"' || !string()) return false;
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != ':') return false;
    take();
    return true;
  }

  bool scalar(char c) {
    if (c == '"') return string();
    if (c == '-' || is_digit(c)) return number();
    return word("true") || word("false") || word("null");
  }

  bool word(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    out_ += expected;
    at_ += expected.size();
    return true;
  }

  bool digits() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) take();
    return at_ > begin;
  }

  bool number() {
    if (text_[at_] == '-') take();
    if (at_ < text_.size() && text_[at_] == '0') {
      take();
    } else if (!digits()) {
      return false;
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      take();
      if (!digits()) return false;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      take();
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) take();
      if (!digits()) return false;
    }
    return true;
  }

  bool string() {
    const size_t begin = at_++;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (static_cast<uint8_t>(c) < 0x20) return false;
      if (c == '\\' && !escape()) return false;
      if (c != '"') continue;
      ++at_;
      out_ += text_.substr(begin, at_ - begin);
      return true;
    }
    return false;
  }

  // Ends with the position at the last character of the escape.
  bool escape() {
    if (++at_ == text_.size()) return false;
    if (text_[at_] != 'u') return std::string_view("\"\\/bfnrt").find(text_[at_]) != std::string_view::npos;
    for (int i = 0; i < 4; ++i) {
      if (++at_ == text_.size()) return false;
      const char c = text_[at_];
      if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return false;
    }
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  void take() { out_ += text_[at_++]; }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
  std::string open_;  // '{' and '[', the innermost last
};

}  // namespace

std::optional<std::string> compact_json(std::string_view text) {
  if (!is_utf8(text)) return std::nullopt;
  return Compactor(text).run();
}

void append_value(std::string& out, std::string_view name, std::string_view value) {
  out += '"';
  out += name;
  out += "\":";
  if (const auto json = compact_json(value)) {
    out += *json;
    return;
  }
  out += '"' + base64(value) + "\",\"encoding\":\"base64\"";
}

}  // namespace millrace::gateway
