#include "engine/index/index_keys.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/base/big_endian.h"

namespace millrace {

namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;
constexpr char kEnd = '\0';
constexpr char kEscape = '\x01';

uint64_t big_endian(ByteView bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < kNumberKeyBytes; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

}  // namespace

void append_integer_key(std::string& to, int64_t value) { append_big_endian(to, static_cast<uint64_t>(value) ^ kSign); }

void append_number_key(std::string& to, double value) {
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  append_big_endian(to, (bits & kSign) != 0 ? ~bits : bits | kSign);
}

void append_text_prefix(std::string& to, ByteView prefix) {
  for (const char c : prefix) {
    if (c != kEnd && c != kEscape) {
      to += c;
    } else {
      to += kEscape;
      to += c == kEnd ? '\x01' : '\x02';
    }
  }
}

void append_text_key(std::string& to, ByteView text) {
  append_text_prefix(to, text);
  to += kEnd;
}

int64_t integer_of_key(ByteView key) { return static_cast<int64_t>(big_endian(key) ^ kSign); }

double number_of_key(ByteView key) {
  const uint64_t bits = big_endian(key);
  return std::bit_cast<double>((bits & kSign) != 0 ? bits ^ kSign : ~bits);
}

std::string take_text(ByteView& bytes) {
  std::string text;
  size_t at = 0;
  for (; bytes[at] != kEnd; ++at) {
    if (bytes[at] != kEscape) {
      text += bytes[at];
    } else {
      text += bytes[++at] == '\x01' ? kEnd : kEscape;
    }
  }
  bytes.remove_prefix(at + 1);
  return text;
}

size_t text_key_size(ByteView bytes) {
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] == kEnd) return at + 1;
    if (bytes[at] != kEscape) continue;
    if (++at == bytes.size() || (bytes[at] != '\x01' && bytes[at] != '\x02')) return 0;
  }
  return 0;
}

std::string after(ByteView prefix) {
  std::string next(prefix);
  while (!next.empty() && static_cast<uint8_t>(next.back()) == 0xff) next.pop_back();
  if (!next.empty()) next.back() = static_cast<char>(static_cast<uint8_t>(next.back()) + 1);
  return next;
}

KeyRanges everything() { return {KeyRange{}}; }

bool contains(const KeyRanges& ranges, ByteView key) {
  const auto above =
      std::ranges::upper_bound(ranges, key, {}, [](const KeyRange& range) { return ByteView(range.from); });
  return above != ranges.begin() && std::prev(above)->contains(key);
}

KeyRanges normal_form(KeyRanges ranges) {
  std::erase_if(ranges, [](const KeyRange& range) { return range.is_empty(); });
  std::ranges::sort(ranges, {}, &KeyRange::from);
  KeyRanges united;
  for (KeyRange& range : ranges) {
    if (!united.empty() && (united.back().to.empty() || range.from <= united.back().to)) {
      std::string& end = united.back().to;
      if (!end.empty() && (range.to.empty() || range.to > end)) end = std::move(range.to);
    } else {
      united.push_back(std::move(range));
    }
  }
  return united;
}

KeyRanges intersection(const KeyRanges& a, const KeyRanges& b) {
  KeyRanges both;
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    const bool left_ends_first = right->to.empty() || (!left->to.empty() && left->to < right->to);
    KeyRange range{std::max(left->from, right->from), left_ends_first ? left->to : right->to};
    if (!range.is_empty()) both.push_back(std::move(range));
    left_ends_first ? ++left : ++right;
  }
  return both;
}

KeyRanges behind(ByteView prefix, const KeyRanges& ranges) {
  KeyRanges moved;
  for (const KeyRange& range : ranges) {
    moved.push_back(
        {std::string(prefix) + range.from, range.to.empty() ? after(prefix) : std::string(prefix) + range.to});
  }
  return moved;
}

}  // namespace millrace
