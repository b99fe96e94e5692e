// The normal form of a filter, and the one way to compile its regular expressions.
#pragma once

#include <re2/re2.h>

#include "engine/route/filter.h"

namespace millrace {

// The same meaning, with parts flattened, sorted and without repetition.
Filter normal_form(Filter filter);

// Linear time, little memory, and no word of a bad pattern on stderr.
inline re2::RE2::Options regex_options() {
  re2::RE2::Options options;
  options.set_max_mem(256 * 1024);
  options.set_log_errors(false);
  return options;
}

}  // namespace millrace
