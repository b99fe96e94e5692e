// Commands in the Redis protocol, as accepted by `redis-cli --pipe`:
//
//   *3\r\n$3\r\nSET\r\n$4\r\nkeyA\r\n$6\r\nvalueA\r\n
//
// A line that does not begin with * is an "inline" command: see command_line.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/load/split.h"
#include "client/load/typed_command_splitter.h"

namespace millrace::client {

class RespSplitter {
 public:
  // Finds the first command of the window. `is_all`: nothing follows the window, and the last CR LF may be missing, as
  // in redis-cli --pipe. Nothing: input that the server does not answer, that is, a blank line or an array without
  // words. Bad: an inline command with wrong quotes. Lost: neither the protocol nor an inline command.
  Split split(std::string_view window, bool is_all);

  // For the last Record: its words, borrowed from the window and from this object until the next call of split; whether
  // it was inline; and whether its bytes are the complete command in the protocol, that is, not inline and with the
  // last CR LF.
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
