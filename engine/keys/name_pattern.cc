#include "engine/keys/name_pattern.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace millrace {

namespace {

uint8_t byte_at(ByteView text, size_t at) { return static_cast<uint8_t>(text[at]); }

// Where the element of the pattern that begins at `at` ends, and whether `byte` is in it. An unclosed set ends with the
// pattern.
struct Element {
  size_t end;
  bool has_byte;
};

Element set_at(ByteView pattern, size_t at, uint8_t byte) {
  ++at;
  const bool is_inverted = at < pattern.size() && pattern[at] == '^';
  if (is_inverted) ++at;
  bool found = false;
  while (at < pattern.size() && pattern[at] != ']') {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) {
      found |= byte_at(pattern, at + 1) == byte;
      at += 2;
    } else if (at + 2 < pattern.size() && pattern[at + 1] == '-') {
      const auto [low, high] = std::minmax({byte_at(pattern, at), byte_at(pattern, at + 2)});
      found |= byte >= low && byte <= high;
      at += 3;
    } else {
      found |= byte_at(pattern, at) == byte;
      ++at;
    }
  }
  return {std::min(at + 1, pattern.size()), found != is_inverted};
}

// REQUIRES: at < pattern.size(), and it is no *
Element element_at(ByteView pattern, size_t at, uint8_t byte) {
  switch (pattern[at]) {
    case '?':
      return {at + 1, true};
    case '[':
      return set_at(pattern, at, byte);
    case '\\':
      if (at + 1 < pattern.size()) return {at + 2, byte_at(pattern, at + 1) == byte};
      [[fallthrough]];
    default:
      return {at + 1, byte_at(pattern, at) == byte};
  }
}

}  // namespace

bool matches_pattern(ByteView pattern, ByteView name) {
  size_t at = 0;
  size_t in = 0;
  // The place after the last *, and the end of the bytes that this * matches so far. If the rest does not match, only
  // the last * has to match more bytes.
  size_t behind_star = ByteView::npos;
  size_t star_end = 0;
  while (in < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      behind_star = ++at;
      star_end = in;
      continue;
    }
    if (at < pattern.size()) {
      const Element element = element_at(pattern, at, byte_at(name, in));
      if (element.has_byte) {
        at = element.end;
        ++in;
        continue;
      }
    }
    if (behind_star == ByteView::npos) return false;
    at = behind_star;
    in = ++star_end;
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace millrace
