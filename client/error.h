// What can go wrong between a program and its server. Errors are values from a closed list. The answer of a server,
// even an error reply, is not an Error but a Reply.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace millrace::client {

enum class ErrorCode {
  Unreachable,  // no connection could be made, or the server refused our login
  TimedOut,     // no answer in time; the command may have been carried out
  Closed,       // the connection broke; the command may have been carried out
  Protocol,     // the answer is not valid Redis protocol
  BadInput,     // invalid input of the user: an address, a template, an option, a file
  Output,       // an output file cannot be written
  DataLost,     // a server came back without data that it had confirmed
};

struct Error {
  ErrorCode code;
  std::string text;  // one sentence for users, without a full stop
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string text) {
  return std::unexpected(Error{code, std::move(text)});
}

}  // namespace millrace::client
