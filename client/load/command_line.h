// A command in the syntax of redis-cli, which is also the server's syntax for "inline" commands:
//
//   SET greeting "hello\nworld"        within "": \n \r \t \b \a \xff, and \ before anything else
//   SET name 'Bob''s'                  not allowed: two words must be separated
//   SET name 'Bob\'s'                  within '': only \' is an escape
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/error.h"

namespace millrace::client {

// The words of a line, unquoted. A line of spaces has none. BadInput: quotes that are not closed, or text directly
// after a closing quote.
Result<std::vector<std::string>> split_command_line(std::string_view line);

}  // namespace millrace::client
