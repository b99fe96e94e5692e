#include "module/lock/token_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "engine/lock/fencing_tokens.h"
#include "module/abi/context.h"

namespace millrace::module {

namespace {

// The host works in its data directory.
constexpr const char* kFile = "millrace-tokens";

// Writes in place, in one call. So a process that is killed leaves the old number or the new one; the new number is
// never shorter. Replacing the file by a new one would change the directory ten times a second.
bool overwrite_file(Token mark) {
  const std::string line = std::to_string(mark.value()) + '\n';
  const int file = open(kFile, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool is_written = write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  return close(file) == 0 && is_written;
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
  if (overwrite_file(std::max(mark, kept_token_mark()))) return;
  static bool is_told = false;
  if (!is_told) {
    abi::log_warning(
        "millrace: cannot write millrace-tokens in the data directory; if the clock is set back before the next start, "
        "fencing tokens may not rise");
  }
  is_told = true;
}

}  // namespace millrace::module
