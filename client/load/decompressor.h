// Gzip and zstd archives. An archive is a sequence of parts, each with its own end and checksum: members of gzip,
// frames of zstd.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "client/error.h"

namespace millrace::client {

class Decompressor {
 public:
  virtual ~Decompressor() = default;

  struct Step {
    size_t used = 0;        // how many of the given bytes were used
    size_t made = 0;        // how many bytes of content were written
    bool is_end = false;    // the part is complete, and its checksum, if it has one, is right
    bool has_more = false;  // more content may follow without further input
  };

  // Decompresses as much as fits, up to the end of the part; the next call begins the next one.
  // BadInput: it is damaged.
  virtual Result<Step> step(std::string_view bytes, char* to, size_t room) = 0;

  // The name of the format: "gzip".
  virtual const char* name() const = 0;

  // A decompressor for an input that begins with these bytes; null if they are neither gzip nor zstd.
  static std::unique_ptr<Decompressor> recognise(std::string_view beginning);
};

}  // namespace millrace::client
