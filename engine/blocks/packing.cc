#include "engine/blocks/packing.h"

// The contexts must allocate with `new`. The stable part of the library's interface has no option for that, but the
// shared library exports functions that do.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <new>

namespace millrace {

namespace {

constexpr ZSTD_customMem kByNew = {
    .customAlloc = [](void*, size_t size) { return ::operator new(size); },
    .customFree = [](void*, void* memory) { ::operator delete(memory); },
    .opaque = nullptr,
};

}  // namespace

void ZstdContexts::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void ZstdContexts::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

std::optional<Buffer> ZstdContexts::pack(ByteView bytes, int level) {
  const auto most = static_cast<uint32_t>(bytes.size() - bytes.size() / 16);
  if (most == bytes.size()) return std::nullopt;
  if (!packing_) packing_.reset(ZSTD_createCCtx_advanced(kByNew));
  Buffer packed;
  packed.reserve(most);
  ZSTD_CCtx_setParameter(packing_.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(packing_.get(), ZSTD_c_checksumFlag, 1);
  char* const to = packed.extend(most);
  const size_t size = ZSTD_compress2(packing_.get(), to, most, bytes.data(), bytes.size());
  if (ZSTD_isError(size)) return std::nullopt;  // it does not fit
  packed.cut(static_cast<uint32_t>(size));
  packed.reserve(packed.size());
  return packed;
}

bool ZstdContexts::unpack(ByteView packed, char* to, uint32_t size) {
  if (!unpacking_) unpacking_.reset(ZSTD_createDCtx_advanced(kByNew));
  return ZSTD_decompressDCtx(unpacking_.get(), to, size, packed.data(), packed.size()) == size;
}

}  // namespace millrace
