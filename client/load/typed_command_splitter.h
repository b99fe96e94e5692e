// Commands in the syntax of redis-cli, one per line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/load/command_line.h"
#include "client/load/line_splitter.h"

namespace millrace::client {

class TypedCommandSplitter {
 public:
  // Finds the first command of the window. `is_all`: nothing follows the window. Nothing: a blank line. Bad: wrong
  // quotes.
  Split split(std::string_view window, bool is_all) {
    std::string_view line;
    Split split = split_line(window, is_all, line);
    if (split.kind != Split::Kind::Record) return split;
    auto words = split_command_line(line);
    if (!words) return Split::bad(split.size, words.error().text);
    if (words->empty()) return Split::nothing(split.size);
    unquoted_ = std::move(*words);
    words_.assign(unquoted_.begin(), unquoted_.end());
    return split;
  }

  // The words of the last Record; borrowed from this object until the next call of split.
  const std::vector<std::string_view>& words() const { return words_; }

 private:
  std::vector<std::string> unquoted_;
  std::vector<std::string_view> words_;
};

}  // namespace millrace::client
