// The normal form of a filter, and the one way to compile its regular expressions.
#pragma once

#include <re2/re2.h>

#include "engine/filter/filter.h"

namespace millrace {

// The same meaning, with parts flattened, sorted and without repetition; and what filter_json() says of it. `bytes` is
// the size of the text that the filter was parsed from.
WrittenFilter normal_form(Filter filter, size_t bytes);

// The longest text that a regular expression is run on: linear time can be microseconds per byte, if a pattern has more
// states than fit in its memory.
inline constexpr size_t kMaxRegexText = 4096;

// Linear time, little memory, and no messages about invalid patterns on stderr.
inline re2::RE2::Options regex_options() {
  re2::RE2::Options options;
  options.set_max_mem(64 * 1024);
  options.set_log_errors(false);
  return options;
}

}  // namespace millrace
