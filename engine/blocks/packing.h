// The bytes of a block made smaller, and back (zstd; docs/why.md has the figures it was
// chosen by). What the library allocates for itself, some 300 KB, is `new` like all memory
// of the engine.
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
inline constexpr int kMostPackLevel = 9;  // beyond it a block takes longer than a slice of time

// The contexts of the library, each made when it is first needed. For one thread.
class ZstdContexts {
 public:
  // The packed form, or nothing if it would not save at least a sixteenth.
  // REQUIRES: bytes.size() <= kMostUnpacked
  std::optional<Buffer> pack(ByteView bytes, int level);

  // Unpacks bytes that nobody has vouched for to exactly `size` bytes at `to`; false, with
  // anything in them, if that is not what they are. A checksum tells.
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
