// The content of a gzip or zstd input. No content is returned before its checksum was verified. Each part (see
// Decompressor) is decompressed once for the check. A small part is kept in memory meanwhile. A large one is
// decompressed a second time to be read: from the file itself, or, if the input is a pipe, from a temporary file with
// its compressed bytes.
//
//   | part 1 | part 2 | part 3 |
//     read     checked, not read yet
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client/load/decompressor.h"
#include "client/load/input_file.h"

namespace millrace::client {

class VerifiedArchive {
 public:
  // For a file with this beginning, of which nothing was used yet. REQUIRES: the file outlives this object.
  VerifiedArchive(InputFile& file, std::string_view beginning);
  ~VerifiedArchive();

  // Checks some more of the file, so that read() can return content. False: call it again when the file's descriptor is
  // readable. BadInput: the part is damaged or cut short, or there is no room for a temporary file; no content of the
  // part was returned.
  Result<bool> prepare();

  // Content, at most `room` bytes; 0: the end. REQUIRES: prepare() was true.
  Result<size_t> read(char* to, size_t room);

  // How much was read, in bytes of the file.
  uint64_t bytes_read() const;

 private:
  Result<void> check_some(std::string_view bytes);
  Result<void> stop_holding();
  Result<void> spool(std::string_view bytes);
  void end_part();
  Result<size_t> read_again(char* to, size_t room);
  // Whether there is checked content to read.
  bool has_content() const { return !is_within_part_ && (given_ < held_.size() || left_to_repeat_ > 0); }

  InputFile& file_;
  std::string beginning_;  // identifies the kind of archive
  std::unique_ptr<Decompressor> checker_;
  bool is_within_part_ = false;
  bool has_more_ = false;  // the checker has more content without further input
  bool is_at_end_ = false;

  // The part that is being checked:
  uint64_t part_begin_ = 0;  // in the file
  uint64_t part_size_ = 0;   // size of its content so far
  bool is_held_ = true;      // its content is in held_; its compressed bytes, if the input is a pipe, in packed_
  std::string held_;
  size_t given_ = 0;  // how much of held_ was returned
  std::string packed_;
  int spool_ = -1;  // the temporary file

  // A part that is read by decompressing it once more:
  uint64_t left_to_repeat_ = 0;
  std::unique_ptr<InputFile> repeated_;
  std::unique_ptr<Decompressor> repeater_;
};

}  // namespace millrace::client
