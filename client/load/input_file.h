// A descriptor with a buffer before it, so that its first bytes can be looked at. What can be
// read anywhere, a regular file, is read without moving the descriptor's own position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/error.h"

namespace millrace::client {

class InputFile {
 public:
  // A regular file has a size, and is read from `offset` on; a pipe has none. The descriptor is
  // closed with this if it is `owned`.
  InputFile(int descriptor, bool is_owned, std::optional<uint64_t> size, uint64_t offset = 0)
      : descriptor_(descriptor), is_owned_(is_owned), size_(size), offset_(offset) {}
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // What is buffered and not used yet; fetches some if that is nothing. Empty: the end.
  Result<std::string_view> ahead();
  void use(size_t bytes) { used_ += bytes; }
  bool has_buffered() const { return used_ < filled_; }

  // Past the buffer, which must be empty, into the caller's.
  Result<size_t> fetch(char* to, size_t room);

  // At least `bytes` of the beginning, unless there are fewer.
  Result<std::string_view> beginning(size_t bytes);

  // Passes over bytes of a regular file. REQUIRES: size() is known, nothing is buffered.
  void skip(uint64_t bytes) { offset_ += bytes; }

  // Whether ahead() would wait for somebody who writes into a pipe.
  bool would_wait() const;

  int descriptor() const { return descriptor_; }
  bool is_regular() const { return size_.has_value(); }
  std::optional<uint64_t> size() const { return size_; }
  // How far the file was fetched, and how far it was used.
  uint64_t fetched() const { return offset_; }
  uint64_t used() const { return offset_ - (filled_ - used_); }

 private:
  int descriptor_;
  bool is_owned_;
  std::optional<uint64_t> size_;
  uint64_t offset_;
  std::string buffer_ = std::string(64 << 10, '\0');
  size_t used_ = 0;
  size_t filled_ = 0;
};

}  // namespace millrace::client
