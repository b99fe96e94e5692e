// The part of an input that is in memory. It moves over the stream, and grows only for a record that does not fit.
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
    Some,     // there are more bytes in view than before
    End,      // the view contains the rest of the input
    Full,     // the window is as large as it may become
    Waiting,  // no input is available now, or an archive is being checked
  };

  // How many consumed bytes stay available.
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

  // The last kPassed consumed bytes; fewer if fewer were consumed since the beginning or since the last skip. Borrowed
  // like view().
  std::string_view passed() const {
    const size_t size = std::min(begin_, kPassed);
    return {bytes_.data() + begin_ - size, size};
  }

  // Brings more of the stream into view. BadInput: see InputStream.
  Result<Filled> fill();

  // Moves to this offset of the content. REQUIRES: it is not before offset().
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
