// The bytes of one input: a file, or standard input for "-". Gzip and zstd are recognised
// by their first bytes, not by the name, and taken off.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "client/error.h"

namespace millrace::client {

class InputStream {
 public:
  // BadInput: it cannot be opened, or is a directory.
  static Result<InputStream> open(const std::string& path);

  InputStream(InputStream&&) noexcept;
  InputStream& operator=(InputStream&&) noexcept;
  ~InputStream();

  // Reads at most `room` bytes of content. 0: the end. BadInput: it cannot be read, or what
  // it is compressed with is damaged or cut short.
  // Waits if nothing is there yet; see would_wait.
  Result<size_t> read(char* to, size_t room);

  // Passes over so many bytes of content: without reading them, where that can be done.
  // BadInput: there are fewer.
  Result<void> skip(uint64_t bytes);

  // Whether read() would wait for somebody who writes into a pipe, and what to poll for
  // then.
  bool would_wait() const;
  int descriptor() const;

  // Of the file as it lies there, compressed or not: how far we are, and how large it is, if
  // that can be known. What a progress bar wants.
  uint64_t bytes_taken() const;
  std::optional<uint64_t> size() const;

 private:
  class File;
  class Decoder;
  class Plain;
  class Gzip;
  class Zstd;

  explicit InputStream(std::unique_ptr<File> file);

  Result<void> recognise();

  std::unique_ptr<File> file_;
  std::unique_ptr<Decoder> decoder_;  // none before the first bytes were seen
};

}  // namespace millrace::client
