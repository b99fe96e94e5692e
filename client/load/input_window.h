// The part of an input that is being looked at: it moves over the stream, and grows only
// for a record that does not fit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "client/load/input_stream.h"

namespace millrace::client {

class InputWindow {
 public:
  enum class Filled {
    Some,     // there is more to see than before
    End,      // what is to be seen is the rest
    Full,     // the window is as large as it may become
    Waiting,  // the writer of the input has nothing more for now, or it is being checked
  };

  // How much of what was consumed stays in sight.
  static constexpr size_t kPassed = 64;

  // No more than `most` bytes, the largest record there may be, are ever in view.
  InputWindow(InputStream stream, size_t most) : stream_(std::move(stream)), most_(most) {}

  // Borrowed until the next call of another function.
  std::string_view view() const { return {bytes_.data() + begin_, end_ - begin_}; }

  // Passes over the first bytes of the view. REQUIRES: bytes <= view().size().
  void consume(size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
  }

  // What was consumed last, kPassed bytes: fewer if there were fewer since the beginning or
  // since bytes were skipped. Borrowed as view() is.
  std::string_view passed() const {
    const size_t size = std::min(begin_, kPassed);
    return {bytes_.data() + begin_ - size, size};
  }

  // Brings more of the stream into view. BadInput: see InputStream.
  Result<Filled> fill();

  // Moves to this offset of the content. REQUIRES: it is not behind what was consumed.
  Result<void> skip_to(uint64_t offset);

  // How much of the content was consumed.
  uint64_t offset() const { return offset_; }
  const InputStream& stream() const { return stream_; }

 private:
  InputStream stream_;
  size_t most_;
  std::vector<char> bytes_ = std::vector<char>(256 << 10);
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace millrace::client
