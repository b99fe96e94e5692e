// Comparison of command words, which ignores case.
#pragma once

#include <strings.h>

#include <string_view>

namespace millrace::client {

inline bool is_same_word(std::string_view word, std::string_view name) {
  return word.size() == name.size() && strncasecmp(word.data(), name.data(), name.size()) == 0;
}

}  // namespace millrace::client
