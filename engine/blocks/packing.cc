#include "engine/blocks/packing.h"

// The contexts are to allocate by `new`, which the stable part of the library's interface
// has no way to say. The shared library exports what does.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <memory>
#include <new>

namespace millrace {

namespace {

constexpr ZSTD_customMem kByNew = {
    .customAlloc = [](void*, size_t size) { return ::operator new(size); },
    .customFree = [](void*, void* memory) { ::operator delete(memory); },
    .opaque = nullptr,
};

using Packer = std::unique_ptr<ZSTD_CCtx, decltype([](ZSTD_CCtx* context) { ZSTD_freeCCtx(context); })>;
using Unpacker = std::unique_ptr<ZSTD_DCtx, decltype([](ZSTD_DCtx* context) { ZSTD_freeDCtx(context); })>;

ZSTD_CCtx* packer() {
  static const Packer made(ZSTD_createCCtx_advanced(kByNew));
  return made.get();
}

ZSTD_DCtx* unpacker() {
  static const Unpacker made(ZSTD_createDCtx_advanced(kByNew));
  return made.get();
}

}  // namespace

std::optional<Buffer> pack(ByteView bytes, int level) {
  const auto most = static_cast<uint32_t>(bytes.size() - bytes.size() / 16);
  if (most == bytes.size()) return std::nullopt;
  Buffer packed;
  packed.reserve(most);
  ZSTD_CCtx_setParameter(packer(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(packer(), ZSTD_c_checksumFlag, 1);
  char* const to = packed.extend(most);
  const size_t size = ZSTD_compress2(packer(), to, most, bytes.data(), bytes.size());
  if (ZSTD_isError(size)) return std::nullopt;  // it does not fit
  packed.cut(static_cast<uint32_t>(size));
  packed.reserve(packed.size());
  return packed;
}

bool unpack(ByteView packed, char* to, uint32_t size) {
  return ZSTD_decompressDCtx(unpacker(), to, size, packed.data(), packed.size()) == size;
}

}  // namespace millrace
