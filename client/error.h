// What can go wrong between a program and its server. Errors are values from a closed
// list; what a server answers to a command, an error reply among it, is none of them but
// a Reply.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace millrace::client {

enum class ErrorCode {
  Unreachable,  // no connection could be made, or the server refused our login
  TimedOut,     // no answer in time; the command may have been carried out
  Closed,       // the connection broke; the command may have been carried out
  Protocol,     // what came back is not the Redis protocol
  BadInput,     // what the user gave: an address, a template, an option, a file
  Output,       // a file of ours cannot be written
  DataLost,     // a server came back without what it had confirmed
};

struct Error {
  ErrorCode code;
  std::string text;  // one sentence for people, without a full stop
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string text) {
  return std::unexpected(Error{code, std::move(text)});
}

}  // namespace millrace::client
