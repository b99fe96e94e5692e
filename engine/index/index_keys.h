// Values as bytes that sort like the values, so that one structure (byte_order.h) can store orders of every type. No
// key is a prefix of another one of the same type, so keys of several fields can be concatenated.
//
//   INTEGER   8 bytes, the most significant first, the sign bit inverted
//   NUMBER    8 bytes of the double, the sign bit inverted; of a negative one all bits
//   TEXT      its bytes, then 00; 00 becomes 01 01, and 01 becomes 01 02
//
// A range of keys is half-open, [from, to). `= v` is [key(v), after(key(v))): all entries that begin with the key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace {

inline constexpr size_t kNumberKeyBytes = 8;

void append_integer_key(std::string& to, int64_t value);
// REQUIRES: not NaN. -0 is 0.
void append_number_key(std::string& to, double value);
void append_text_key(std::string& to, ByteView text);
// The common prefix of the keys of all texts that begin with `prefix`.
void append_text_prefix(std::string& to, ByteView prefix);

// REQUIRES: at least kNumberKeyBytes
int64_t integer_of_key(ByteView key);
double number_of_key(ByteView key);
// Removes a text key from the front of `bytes`, and returns its text. REQUIRES: a key that append_text_key() has made
std::string take_text(ByteView& bytes);
// The size of the text key at the front of `bytes`; 0 if there is none.
size_t text_key_size(ByteView bytes);

// The least string that is greater than all strings with this prefix; empty if there is none.
std::string after(ByteView prefix);

struct KeyRange {
  std::string from;
  std::string to;  // empty: no end

  bool contains(ByteView key) const { return key >= from && (to.empty() || key < to); }
  bool is_empty() const { return !to.empty() && from >= to; }
};
// In ascending order; none is empty, and none touches the next.
using KeyRanges = std::vector<KeyRange>;

KeyRanges everything();
bool contains(const KeyRanges& ranges, ByteView key);
// Sorts the ranges and merges those that overlap.
KeyRanges normal_form(KeyRanges ranges);
// O(a + b)
KeyRanges intersection(const KeyRanges& a, const KeyRanges& b);
// The same ranges with a prefix before them; a range without an end ends where the prefix ends.
KeyRanges behind(ByteView prefix, const KeyRanges& ranges);

}  // namespace millrace
