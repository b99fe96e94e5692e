// A file descriptor with a buffer, so that the first bytes can be examined before they are used. A regular file is read
// at explicit offsets, which does not move the descriptor's own position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/error.h"

namespace millrace::client {

class InputFile {
 public:
  // A regular file has a size, and is read from `offset` on; a pipe has none. If `is_owned`, the destructor closes the
  // descriptor.
  InputFile(int descriptor, bool is_owned, std::optional<uint64_t> size, uint64_t offset = 0)
      : descriptor_(descriptor), is_owned_(is_owned), size_(size), offset_(offset) {}
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // The bytes that are buffered and not used yet. If there are none, it first reads some. Empty at the end of the file.
  Result<std::string_view> ahead();
  void use(size_t bytes) { used_ += bytes; }
  bool has_buffered() const { return used_ < filled_; }

  // Reads into the caller's memory, without the buffer. REQUIRES: the buffer is empty.
  Result<size_t> fetch(char* to, size_t room);

  // The beginning of the file: at least `bytes` bytes, or all if there are fewer.
  Result<std::string_view> beginning(size_t bytes);

  // Passes over bytes of a regular file. REQUIRES: size() is known, nothing is buffered.
  void skip(uint64_t bytes) { offset_ += bytes; }

  // Whether ahead() would block on a pipe.
  bool would_wait() const;

  int descriptor() const { return descriptor_; }
  bool is_regular() const { return size_.has_value(); }
  std::optional<uint64_t> size() const { return size_; }
  // The offsets up to which the file was read into the buffer, and up to which it was used.
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
