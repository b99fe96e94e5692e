// Compresses and decompresses the bytes of a block (zstd; docs/why.md has the figures for that choice). The library's
// own memory, some 300 KB, is allocated with `new` like all memory of the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/base/buffer.h"
#include "engine/base/limits.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace millrace {

inline constexpr int kLeastPackLevel = 1;
inline constexpr int kMostPackLevel = 9;  // at higher levels, packing one block takes longer than a slice of time

// The contexts of the library, each made when it is first needed. For one thread.
class ZstdContexts {
 public:
  // The packed form; nullopt if it would not save at least a sixteenth.
  // REQUIRES: bytes.size() <= kMostUnpacked
  std::optional<Buffer> pack(ByteView bytes, int level);

  // Unpacks untrusted bytes to exactly `size` bytes at `to`. False, with undefined contents at `to`, if they do not
  // unpack to that size or the checksum is wrong.
  bool unpack(ByteView packed, char* to, uint32_t size);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
    void operator()(ZSTD_DCtx_s* context) const;
  };

  std::unique_ptr<ZSTD_CCtx_s, Free> packing_;
  std::unique_ptr<ZSTD_DCtx_s, Free> unpacking_;
};

}  // namespace millrace
