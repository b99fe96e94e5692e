#include "module/lock/token_file.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "engine/lock/fencing_tokens.h"
#include "module/abi/context.h"

namespace millrace::module {

namespace {

// The host works in its data directory.
constexpr const char* kFile = "millrace-tokens";
constexpr const char* kNewFile = "millrace-tokens.new";

bool replace_file(Token mark) {
  {
    std::ofstream file(kNewFile, std::ios::trunc);
    file << mark.value() << '\n';
    file.close();
    if (!file) return false;
  }
  return std::rename(kNewFile, kFile) == 0;
}

}  // namespace

Token kept_token_mark() {
  std::ifstream file(kFile);
  uint64_t mark = 0;
  if (!(file >> mark) || Token(mark) > kMaxToken) return Token(0);
  return Token(mark);
}

void keep_token_mark(Token mark) {
  // Two servers in one directory share the file.
  if (replace_file(std::max(mark, kept_token_mark()))) return;
  static bool is_told = false;
  if (!is_told) {
    abi::log_warning(
        "millrace: cannot write millrace-tokens in the data directory; if the clock is set back before the next start, "
        "fencing tokens may not rise");
  }
  is_told = true;
}

}  // namespace millrace::module
