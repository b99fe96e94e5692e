// What a splitter says of the bytes it was shown.
#pragma once

#include <cstddef>
#include <string>

namespace millrace::client {

struct Split {
  enum class Kind {
    Record,     // a record ends after `size` bytes
    Nothing,    // `size` bytes that mean nothing: a blank line
    NeedsMore,  // the record does not end here; show it more
    Bad,        // `size` bytes that are no record, because of `problem`; go on behind them
    Lost,       // no record, because of `problem`, and nobody knows where the next one begins
  };

  Kind kind = Kind::NeedsMore;
  size_t size = 0;      // line end included
  std::string problem;  // half a sentence: "a quote that is never closed"

  static Split record(size_t size) { return {Kind::Record, size, {}}; }
  static Split nothing(size_t size) { return {Kind::Nothing, size, {}}; }
  static Split needs_more() { return {}; }
  static Split bad(size_t size, std::string problem) { return {Kind::Bad, size, std::move(problem)}; }
  static Split lost(std::string problem) { return {Kind::Lost, 0, std::move(problem)}; }
};

}  // namespace millrace::client
