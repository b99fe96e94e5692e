// The bytes of one input: a file, or standard input for "-". Gzip and zstd are recognised
// by their first bytes, not by the name, and taken off; what their checksum does not confirm is
// never read (verified_archive.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "client/error.h"

namespace millrace::client {

class InputFile;
class VerifiedArchive;

class InputStream {
 public:
  // BadInput: it cannot be opened, or is a directory.
  static Result<InputStream> open(const std::string& path);

  InputStream(InputStream&&) noexcept;
  InputStream& operator=(InputStream&&) noexcept;
  ~InputStream();

  // Does some of the work that must come before read(). False: it must be called again once
  // descriptor() is readable, because the writer of a pipe has nothing more for now, or an
  // archive is still being checked. BadInput: it cannot be read, or what it is compressed with is
  // damaged or cut short.
  Result<bool> prepare();

  // Reads at most `room` bytes of content, without waiting. 0: the end. BadInput: it cannot be
  // read. REQUIRES: prepare() was true.
  Result<size_t> read(char* to, size_t room);

  // Skips this many bytes of content, without reading them where possible.
  // Waits for a pipe. BadInput: there are fewer.
  Result<void> skip(uint64_t bytes);

  // What to poll for.
  int descriptor() const;

  // Of the file as it lies there, compressed or not: how far we are, and how large it is, if
  // that can be known. What a progress bar wants.
  uint64_t bytes_taken() const;
  std::optional<uint64_t> size() const;

 private:
  explicit InputStream(std::unique_ptr<InputFile> file);

  std::unique_ptr<InputFile> file_;
  std::unique_ptr<VerifiedArchive> archive_;  // of what is compressed
  bool is_recognised_ = false;                // the first bytes were seen
};

}  // namespace millrace::client
