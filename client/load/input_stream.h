// The bytes of one input: a file, or standard input for "-". Gzip and zstd are recognised by their first bytes, not by
// the name, and decompressed. Content whose checksum is wrong is never returned (verified_archive.h).
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

  // Does some of the work that is necessary before read(). False: call it again once descriptor() is readable, because
  // a pipe has no data now, or an archive is still being checked. BadInput: the input cannot be read, or the archive is
  // damaged or cut short.
  Result<bool> prepare();

  // Reads at most `room` bytes of content, without waiting. 0: the end. BadInput: it cannot be
  // read. REQUIRES: prepare() was true.
  Result<size_t> read(char* to, size_t room);

  // Skips this many bytes of content, without reading them where possible.
  // Waits for a pipe. BadInput: there are fewer.
  Result<void> skip(uint64_t bytes);

  // The descriptor to poll.
  int descriptor() const;

  // For a progress bar: how many bytes of the file, compressed or not, were read, and its size if known.
  uint64_t bytes_taken() const;
  std::optional<uint64_t> size() const;

 private:
  explicit InputStream(std::unique_ptr<InputFile> file);

  std::unique_ptr<InputFile> file_;
  std::unique_ptr<VerifiedArchive> archive_;  // for compressed input
  bool is_recognised_ = false;                // the first bytes were examined
};

}  // namespace millrace::client
