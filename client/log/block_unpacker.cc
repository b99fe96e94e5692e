#include "client/log/block_unpacker.h"

#include <zstd.h>

namespace millrace::client {

void BlockUnpacker::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

bool BlockUnpacker::unpack(ByteView packed, char* to, size_t size) {
  if (!context_) context_.reset(ZSTD_createDCtx());
  return ZSTD_decompressDCtx(context_.get(), to, size, packed.data(), packed.size()) == size;
}

}  // namespace millrace::client
