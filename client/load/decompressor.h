// Gzip and zstd, as parts that each have an end and a checksum of their own: a member of gzip, a
// frame of zstd. An archive is one or more of them, one behind the other.
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
    size_t used = 0;        // of the bytes given
    size_t made = 0;        // of the content
    bool is_end = false;    // the part is complete, and its checksum, if it has one, is right
    bool has_more = false;  // more content may come without another byte
  };

  // Decompresses as much as fits, up to the end of the part; the next call begins the next one.
  // BadInput: it is damaged.
  virtual Result<Step> step(std::string_view bytes, char* to, size_t room) = 0;

  // What it is called: "gzip".
  virtual const char* name() const = 0;

  // For what begins with these bytes; nothing if they are neither gzip nor zstd.
  static std::unique_ptr<Decompressor> recognise(std::string_view beginning);
};

}  // namespace millrace::client
