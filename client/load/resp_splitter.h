// Commands in the Redis protocol, as `redis-cli --pipe` takes them:
//
//   *3\r\n$3\r\nSET\r\n$4\r\nkeyA\r\n$6\r\nvalueA\r\n
//
// A line that does not begin with * is an "inline" command, as people type it: see
// command_line.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/load/split.h"
#include "client/load/typed_command_splitter.h"

namespace millrace::client {

class RespSplitter {
 public:
  // Finds the first command of the window. `is_all`: nothing comes behind it, and its last CR
  // LF may be missing, as redis-cli --pipe has it. Nothing: what
  // the server does not answer, a blank line or an array without words. Bad: an inline
  // command with wrong quotes. Lost: what is neither.
  Split split(std::string_view window, bool is_all);

  // Of the last Record: its words, borrowed from the window and from this until the next
  // call of split; whether it was inline; and whether its bytes are the whole command in the
  // protocol, neither inline nor without the last CR LF.
  const std::vector<std::string_view>& words() const { return is_inline_ ? typed_.words() : words_; }
  bool is_inline() const { return is_inline_; }
  bool is_protocol() const { return !is_inline_ && is_whole_; }

 private:
  Split split_inline(std::string_view window, bool is_all);

  std::vector<std::string_view> words_;
  TypedCommandSplitter typed_;
  bool is_inline_ = false;
  bool is_whole_ = true;
};

}  // namespace millrace::client
