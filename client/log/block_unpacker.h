// Unpacks blocks of frames (zstd). For one thread.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/base/bytes.h"

struct ZSTD_DCtx_s;

namespace millrace::client {

class BlockUnpacker {
 public:
  // Unpacks bytes that need not be trusted to exactly `size` bytes at `to`; false, with anything there, if that is not
  // what they are.
  bool unpack(ByteView packed, char* to, size_t size);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;  // made when it is first needed
};

}  // namespace millrace::client
