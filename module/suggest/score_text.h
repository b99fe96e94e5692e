// Scores as text for clients.
#pragma once

#include <charconv>
#include <string>

namespace millrace::module {

// At most twelve digits, without trailing zeros: 5, 4.5, 0.333333333333. After a decay, a score differs from the exact
// value in the sixteenth digit.
inline std::string score_text(double score) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), score, std::chars_format::general, 12).ptr;
  return {text, end};
}

}  // namespace millrace::module
