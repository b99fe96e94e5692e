#include "client/load/json_scanner.h"

#include <simdjson.h>

#include <charconv>
#include <utility>

namespace millrace::client {
namespace {

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex(std::string_view digits) { return digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos; }

}  // namespace

Result<JsonPath> parse_json_pointer(std::string_view pointer) {
  JsonPath path;
  if (pointer.empty()) return path;
  if (!pointer.starts_with('/')) return fail(ErrorCode::BadInput, "a JSON pointer begins with /");
  for (size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      path.emplace_back();
    } else if (pointer[i] != '~') {
      path.back() += pointer[i];
    } else if (++i < pointer.size() && (pointer[i] == '0' || pointer[i] == '1')) {
      path.back() += pointer[i] == '0' ? '~' : '/';
    } else {
      return fail(ErrorCode::BadInput, "in a JSON pointer ~ is written ~0, and / within a name ~1");
    }
  }
  return path;
}

JsonScanner::JsonScanner(std::vector<JsonPath> wanted) : found_(wanted.size()) {
  for (JsonPath& path : wanted) wanted_.emplace_back().path = std::move(path);
}

Result<void> JsonScanner::scan(std::string_view text) {
  text_ = text;
  at_ = 0;
  problem_ = nullptr;
  levels_.clear();
  for (auto& value : found_) value.reset();
  for (Sought& sought : wanted_) {
    sought.matched = 0;
    sought.started.reset();
  }
  skip_space();
  for (Sought& sought : wanted_) {
    if (sought.path.empty()) sought.started = at_;
  }
  bool is_good = scan_value();
  // A loop and not a recursion: a text with a million levels of nesting must not crash the program.
  while (is_good && !levels_.empty()) is_good = scan_container();
  if (is_good) {
    leave(at_);
    skip_space();
    if (at_ < text_.size()) is_good = wrong("text behind the value");
  }
  if (!is_good) return fail(ErrorCode::BadInput, std::string(problem_) + " at byte " + std::to_string(at_ + 1));
  if (!simdjson::validate_utf8(text_.data(), text_.size())) {
    return fail(ErrorCode::BadInput, "bytes that are not UTF-8");
  }
  return {};
}

// Scans a scalar, or the opening of a container, which becomes the innermost level.
bool JsonScanner::scan_value() {
  if (at_ == text_.size()) return wrong("the text ends where a value should be");
  std::string_view inside;
  switch (text_[at_]) {
    case '{':
    case '[':
      levels_.push_back({.is_object = text_[at_] == '{'});
      ++at_;
      return true;
    case '"':
      return scan_string(inside);
    case 't':
      return scan_word("true");
    case 'f':
      return scan_word("false");
    case 'n':
      return scan_word("null");
    default:
      return scan_number();
  }
}

// Continues in the innermost container, behind a value or the opening bracket: moves to the next value, or out of the
// container.
bool JsonScanner::scan_container() {
  skip_space();
  Level& level = levels_.back();
  if (at_ == text_.size()) return wrong("the text ends within an object or array");
  const char c = text_[at_];
  if (c == (level.is_object ? '}' : ']')) {
    ++at_;
    levels_.pop_back();
    if (!levels_.empty()) leave(at_);
    return true;
  }
  if (!level.is_new) {
    if (c != ',') return wrong(level.is_object ? "neither , nor } in an object" : "neither , nor ] in an array");
    ++at_;
    ++level.index;
    skip_space();
  }
  level.is_new = false;
  return level.is_object ? begin_member() : begin_element();
}

bool JsonScanner::begin_member() {
  std::string_view inside;
  if (at_ == text_.size() || text_[at_] != '"') return wrong("no name where a member of an object should be");
  if (!scan_string(inside)) return false;
  skip_space();
  if (at_ == text_.size() || text_[at_] != ':') return wrong("no : behind the name of a member");
  ++at_;
  skip_space();
  if (inside.find('\\') == inside.npos) {
    enter(inside);
  } else {
    std::string name;
    // A name that is not valid text is accepted, but matches no path.
    if (append_unescaped(name, inside)) enter(name);
  }
  const size_t depth = levels_.size();
  if (!scan_value()) return false;
  if (levels_.size() == depth) leave(at_);
  return true;
}

bool JsonScanner::begin_element() {
  char digits[24];
  const auto [end, problem] = std::to_chars(digits, digits + sizeof digits, levels_.back().index);
  enter({digits, static_cast<size_t>(end - digits)});
  const size_t depth = levels_.size();
  if (!scan_value()) return false;
  if (levels_.size() == depth) leave(at_);
  return true;
}

// Steps into the member or element of the innermost container; its value begins here.
void JsonScanner::enter(std::string_view name) {
  const size_t depth = levels_.size() - 1;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    Sought& sought = wanted_[i];
    if (sought.matched != depth || depth >= sought.path.size() || sought.path[depth] != name) continue;
    found_[i].reset();
    sought.matched = depth + 1;
    if (sought.matched == sought.path.size()) sought.started = at_;
  }
}

// Steps out of a value that ends here, back into the innermost container.
void JsonScanner::leave(size_t end) {
  const size_t depth = levels_.empty() ? 0 : levels_.size() - 1;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    Sought& sought = wanted_[i];
    const bool is_left = levels_.empty() ? sought.path.empty() : sought.matched == depth + 1;
    if (!is_left) continue;
    if (sought.started && sought.matched == sought.path.size()) {
      found_[i] = text_.substr(*sought.started, end - *sought.started);
      sought.started.reset();
    }
    sought.matched = depth;
  }
}

bool JsonScanner::scan_string(std::string_view& inside) {
  const size_t begin = ++at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      inside = text_.substr(begin, at_ - begin);
      ++at_;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) return wrong("a control character in a string");
    if (c != '\\') continue;
    if (++at_ == text_.size()) break;
    if (text_[at_] == 'u') {
      if (text_.size() - at_ < 5 || !is_hex(text_.substr(at_ + 1, 4))) return wrong("\\u without four hex digits");
      at_ += 4;
    } else if (std::string_view("\"\\/bfnrt").find(text_[at_]) == std::string_view::npos) {
      return wrong("an escape that JSON does not know");
    }
  }
  return wrong("a string that does not end");
}

bool JsonScanner::scan_number() {
  const auto digit_here = [&] { return at_ < text_.size() && is_digit(text_[at_]); };
  const auto skip_digits = [&] {
    const bool any = digit_here();
    while (digit_here()) ++at_;
    return any;
  };
  const bool has_sign = text_[at_] == '-';
  if (has_sign) ++at_;
  if (!digit_here()) return wrong(has_sign ? "a - without a number" : "something that is no value");
  const bool begins_with_zero = text_[at_++] == '0';
  if (begins_with_zero && digit_here()) return wrong("a number that begins with 0");
  skip_digits();
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    if (!skip_digits()) return wrong("no digit behind a decimal point");
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    if (!skip_digits()) return wrong("an exponent without a digit");
  }
  return true;
}

bool JsonScanner::scan_word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return wrong("something that is no value");
  at_ += word.size();
  return true;
}

void JsonScanner::skip_space() {
  while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
}

bool JsonScanner::wrong(const char* problem) {
  problem_ = problem;
  return false;
}

namespace {

unsigned code_unit(std::string_view four_digits) {
  unsigned unit = 0;
  std::from_chars(four_digits.data(), four_digits.data() + 4, unit, 16);
  return unit;
}

void append_utf8(std::string& out, unsigned point) {
  const auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xc0 | point >> 6);
    byte(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    byte(0xe0 | point >> 12);
    byte(0x80 | (point >> 6 & 0x3f));
    byte(0x80 | (point & 0x3f));
  } else {
    byte(0xf0 | point >> 18);
    byte(0x80 | (point >> 12 & 0x3f));
    byte(0x80 | (point >> 6 & 0x3f));
    byte(0x80 | (point & 0x3f));
  }
}

char unescaped(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

}  // namespace

bool is_json_number(std::string_view text) {
  // Most texts are not numbers: checking the first character is quick.
  if (text.empty() || !(is_digit(text.front()) || text.front() == '-')) return false;
  return JsonScanner({}).scan(text).has_value() && !is_json_space(text.back());
}

Result<void> append_unescaped(std::string& out, std::string_view inside) {
  for (;;) {
    const size_t backslash = inside.find('\\');
    out += inside.substr(0, backslash);
    if (backslash == inside.npos) return {};
    const char letter = inside[backslash + 1];
    inside.remove_prefix(backslash + 2);
    if (letter != 'u') {
      out += unescaped(letter);
      continue;
    }
    unsigned point = code_unit(inside);
    inside.remove_prefix(4);
    if (point >= 0xd800 && point <= 0xdfff) {
      const bool has_second = point <= 0xdbff && inside.starts_with("\\u");
      const unsigned second = has_second ? code_unit(inside.substr(2)) : 0;
      if (second < 0xdc00 || second > 0xdfff) return fail(ErrorCode::BadInput, "half of a surrogate pair is no text");
      point = 0x10000 + ((point - 0xd800) << 10) + (second - 0xdc00);
      inside.remove_prefix(6);
    }
    append_utf8(out, point);
  }
}

}  // namespace millrace::client
