// The result of a splitter for the bytes in the window.
#pragma once

#include <cstddef>
#include <string>

namespace millrace::client {

struct Split {
  enum class Kind {
    Record,     // a record ends after `size` bytes
    Nothing,    // `size` bytes without meaning: a blank line
    NeedsMore,  // the record does not end in the window; more bytes are needed
    Bad,        // `size` bytes are not a valid record, because of `problem`; continue after them
    Lost,       // not a record, because of `problem`, and the beginning of the next one is unknown
  };

  Kind kind = Kind::NeedsMore;
  size_t size = 0;      // including the line end
  std::string problem;  // a phrase: "a quote that is never closed"

  static Split record(size_t size) { return {Kind::Record, size, {}}; }
  static Split nothing(size_t size) { return {Kind::Nothing, size, {}}; }
  static Split needs_more() { return {}; }
  static Split bad(size_t size, std::string problem) { return {Kind::Bad, size, std::move(problem)}; }
  static Split lost(std::string problem) { return {Kind::Lost, 0, std::move(problem)}; }
};

}  // namespace millrace::client
