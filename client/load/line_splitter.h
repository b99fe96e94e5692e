// Lines that end with LF or CRLF; the last one may end with the input.
#pragma once

#include <string_view>

#include "client/load/split.h"

namespace millrace::client {

// Finds the first line. For a Record, `line` is the text without its end, borrowed from `window`; an empty line is a
// Record too. `is_all`: nothing follows the window.
inline Split split_line(std::string_view window, bool is_all, std::string_view& line) {
  const size_t end = window.find('\n');
  if (end == window.npos && (!is_all || window.empty())) return Split::needs_more();
  line = window.substr(0, end);
  if (end != window.npos && line.ends_with('\r')) line.remove_suffix(1);
  return Split::record(end == window.npos ? window.size() : end + 1);
}

}  // namespace millrace::client
