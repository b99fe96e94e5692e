// Scores as text for clients.
#pragma once

#include <charconv>
#include <string>

namespace millrace::module {

// In twelve digits at most, without those that say nothing: 5, 4.5, 0.333333333333. A score that has faded differs from
// the exact one in the sixteenth digit.
inline std::string score_text(double score) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), score, std::chars_format::general, 12).ptr;
  return {text, end};
}

}  // namespace millrace::module
