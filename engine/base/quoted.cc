#include "engine/base/quoted.h"

namespace millrace {

std::string quoted(ByteView word) {
  constexpr size_t kLongest = 40;
  std::string text = "'";
  for (char c : word.substr(0, kLongest)) text += c >= ' ' && c <= '~' ? c : '?';
  if (word.size() > kLongest) text += "...";
  return text + "'";
}

}  // namespace millrace
