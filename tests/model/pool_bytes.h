// A whole pool as one string and back, for tests and fuzzers: what RDB and AOF do with
// one string for each part (engine/shard/pool_codec.h), here with its kind and a length
// before each.
//
//   pool := (kind part(bytes) part(block))*      part := length bytes      (numbers are varints)
#pragma once

#include <string>
#include <utility>

#include "engine/base/decoder.h"
#include "engine/shard/pool_codec.h"
#include "tests/model/log_bytes.h"

namespace millrace::testing {

inline void append_pool_part(std::string& to, PoolPart part, ByteView bytes, ByteView block = {}) {
  append_varint(to, static_cast<uint64_t>(part));
  append_part(to, bytes);
  append_part(to, block);
}

inline std::string pool_to_bytes(const Pool& pool) {
  std::string all;
  each_pool_part(pool,
                 [&](PoolPart part, ByteView bytes, ByteView block) { append_pool_part(all, part, bytes, block); });
  return all;
}

// Trusts nothing, as the module's loader does.
inline Result<Pool> pool_from_bytes(ByteView bytes, const HashKey& key = {}) {
  Pool pool(key);
  Decoder parts(bytes);
  while (!parts.finished()) {
    const uint64_t kind = parts.number();
    const ByteView part = parts.bytes(parts.number());
    const ByteView block = parts.bytes(parts.number());
    if (!parts.ok() || kind > static_cast<uint64_t>(PoolPart::Queue)) {
      return fail(ErrorCode::Corrupt, "the payload ends too early");
    }
    auto restored = restore_pool_part(pool, static_cast<PoolPart>(kind), part, Buffer::copy_of(block));
    if (!restored) return std::unexpected(restored.error());
  }
  return pool;
}

}  // namespace millrace::testing
