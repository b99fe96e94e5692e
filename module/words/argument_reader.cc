#include "module/words/argument_reader.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <type_traits>

namespace millrace::module {

bool has_letters_of(ByteView word, ByteView upper) {
  // Clients mostly send them as they are here.
  if (word == upper) return true;
  return std::ranges::equal(word, upper, [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 32 : a) == b; });
}

namespace {

// Numbers without a sign, up to 18 digits: a third of the time of std::from_chars.
std::optional<uint64_t> parse_digits(ByteView word) {
  uint64_t value = 0;
  for (const char each : word) {
    const auto digit = static_cast<unsigned char>(each - '0');
    if (digit > 9) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

template <class Number>
std::optional<Number> parse(ByteView word, Number min, Number max) {
  Number value{};
  if (std::is_unsigned_v<Number> && !word.empty() && word.size() <= 18) {
    const auto digits = parse_digits(word);
    if (!digits || *digits < min || *digits > max) return std::nullopt;
    return *digits;
  }
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size() || value < min || value > max) return std::nullopt;
  return value;
}

}  // namespace

ByteView ArgumentReader::fail_without_word(const char* what) {
  fail(ErrorCode::Syntax, std::string("missing ") + what);
  return {};
}

void ArgumentReader::fail_by_length(const char* what, ByteView name, size_t longest) {
  fail(ErrorCode::Range, std::string("the ") + what + " has " + std::to_string(name.size()) + " bytes, expected 1 to " +
                             std::to_string(longest));
}

void ArgumentReader::fail_by_repetition(ByteView option) {
  fail(ErrorCode::Syntax, std::string(option) + " is given twice");
}

std::optional<int64_t> ArgumentReader::number_if_any(int64_t min, int64_t max) {
  if (at_end()) return std::nullopt;
  const auto number = parse(words_[at_], min, max);
  if (number) ++at_;
  return number;
}

template <class Number>
void ArgumentReader::fail_by_number(const char* what, ByteView found, Number min, Number max, const char* expected) {
  const std::string range = "expected an integer from " + std::to_string(min) + " to " + std::to_string(max);
  fail(ErrorCode::Range, std::string("invalid ") + what + " " + quoted(found) + ": " +
                             (expected != nullptr ? std::string(expected) : range));
}

template <class Number>
Number ArgumentReader::parsed(const char* what, Number min, Number max, const char* expected) {
  const ByteView text = word(what);
  if (failed()) return 0;
  const auto value = parse(text, min, max);
  if (value) return *value;
  fail_by_number(what, text, min, max, expected);
  return 0;
}

uint64_t ArgumentReader::number(const char* what, uint64_t min, uint64_t max) {
  return parsed(what, min, max, nullptr);
}
int64_t ArgumentReader::signed_number(const char* what, int64_t min, int64_t max, const char* expected) {
  return parsed(what, min, max, expected);
}

std::optional<std::pair<uint64_t, uint64_t>> ArgumentReader::numbers_with_dot(uint64_t max, uint64_t min_behind,
                                                                              uint64_t max_behind) {
  if (at_end()) return std::nullopt;
  const ByteView text = words_[at_];
  const size_t dot = text.find('.');
  if (dot == ByteView::npos) return std::nullopt;
  const auto before = parse<uint64_t>(text.substr(0, dot), 0, max);
  const auto behind = parse<uint64_t>(text.substr(dot + 1), min_behind, max_behind);
  if (!before || !behind) return std::nullopt;
  ++at_;
  return std::pair(*before, *behind);
}

bool ArgumentReader::yes_or_no(const char* what) {
  if (keyword("YES")) return true;
  if (!keyword("NO")) unknown_word((std::string("yes or no behind ") + what).c_str());
  return false;
}

void ArgumentReader::unknown_word(const char* expected) {
  if (failed()) return;
  const std::string found = at_ == words_.size() ? "nothing more" : quoted(words_[at_]);
  fail(ErrorCode::Syntax, std::string("syntax error: expected ") + expected + ", found " + found);
}

void ArgumentReader::fail(ErrorCode code, std::string text) {
  if (!failed()) error_ = Error{code, std::move(text)};
}

}  // namespace millrace::module
