// Unpacks blocks of frames (zstd). For one thread.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/base/bytes.h"

struct ZSTD_DCtx_s;

namespace millrace::client {

class BlockUnpacker {
 public:
  // Unpacks untrusted bytes to exactly `size` bytes at `to`. False, with undefined contents at `to`, if they do not
  // unpack to that size.
  bool unpack(ByteView packed, char* to, size_t size);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;  // made when it is first needed
};

}  // namespace millrace::client
