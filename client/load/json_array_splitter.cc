#include "client/load/json_array_splitter.h"

#include <algorithm>

namespace millrace::client {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kByteOrderMarkOfJson = "\xef\xbb\xbf";

// The length of the value at the front; npos if it is not known yet. Only strings and brackets are examined: the caller
// that takes the value checks it.
size_t length_of_value(std::string_view window, bool is_all) {
  size_t depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < window.size(); ++i) {
    const char c = window[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      if (c == '"') is_in_string = false;
      if (c == '"' && depth == 0) return i + 1;
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return i;
      if (--depth == 0) return i + 1;
    } else if (depth == 0 && (c == ',' || kSpaces.find(c) != kSpaces.npos)) {
      return i;
    }
  }
  return is_all && depth == 0 && !is_in_string ? window.size() : std::string_view::npos;
}

}  // namespace

Split JsonArraySplitter::split(std::string_view window, bool is_all, std::string_view& value) {
  if (place_ == Place::Beginning && window.size() < kByteOrderMarkOfJson.size() && !is_all) return Split::needs_more();
  if (place_ == Place::Beginning && window.starts_with(kByteOrderMarkOfJson)) {
    return Split::nothing(kByteOrderMarkOfJson.size());
  }
  if (const size_t spaces = std::min(window.find_first_not_of(kSpaces), window.size()); spaces > 0) {
    return Split::nothing(spaces);
  }
  if (window.empty()) {
    const bool is_cut = place_ != Place::Beginning && place_ != Place::ArrayEnd && place_ != Place::Sequence;
    return is_all && is_cut ? Split::lost("the input ends within the JSON array") : Split::needs_more();
  }
  if (Split mark = take_mark(window); mark.kind != Split::Kind::NeedsMore) return mark;
  const size_t length = length_of_value(window, is_all);
  if (length == 0) return Split::lost("no value where one should be in the JSON array");
  if (length == window.npos) {
    return is_all ? Split::lost("the input ends within a JSON value") : Split::needs_more();
  }
  // A number at the end of the window may go on.
  if (length == window.size() && !is_all && window.front() != '{' && window.front() != '[' && window.front() != '"') {
    return Split::needs_more();
  }
  if (place_ != Place::Sequence) place_ = Place::Behind;
  value = window.substr(0, length);
  return Split::record(length);
}

// Skips what is between values. NeedsMore: a value begins here.
Split JsonArraySplitter::take_mark(std::string_view window) {
  const char c = window.front();
  switch (place_) {
    case Place::Beginning:
      place_ = c == '[' ? Place::ArrayBegin : Place::Sequence;
      return c == '[' ? Split::nothing(1) : Split::needs_more();
    case Place::ArrayBegin:
      if (c != ']') return Split::needs_more();
      place_ = Place::ArrayEnd;
      return Split::nothing(1);
    case Place::Behind:
      if (c != ',' && c != ']') return Split::lost("neither , nor ] behind a value of the JSON array");
      place_ = c == ',' ? Place::Element : Place::ArrayEnd;
      return Split::nothing(1);
    case Place::ArrayEnd:
      return Split::lost("text behind the JSON array");
    default:
      return Split::needs_more();
  }
}

}  // namespace millrace::client
