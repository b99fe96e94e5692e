// A whole pool as one string and back, for tests and fuzzers: its parts (engine/shard/pool_parts.h), each with its kind
// and with a block that may be empty.
//
//   pool := (kind part(bytes) part(block))*      part := length bytes      (numbers are varints)
#pragma once

#include <iterator>
#include <string>

#include "engine/base/decoder.h"
#include "engine/shard/pool_parts.h"
#include "tests/model/object_strings.h"

namespace millrace::testing {

inline std::string pool_to_bytes(const Pool& pool) {
  std::string all;
  each_part(pool, [&](const Part& part) {
    append_varint(all, part.kind);
    append_string(all, part.bytes);
    append_string(all, part.block);
  });
  return all;
}

// Treats the bytes as untrusted, as the module's loader does.
inline Result<Pool> pool_from_bytes(ByteView bytes, const HashKey& key = {}) {
  PoolRestorer pool(key);
  Decoder parts(bytes);
  while (!parts.finished()) {
    const uint64_t kind = parts.number();
    const ByteView part = parts.bytes(parts.number());
    const ByteView block = parts.bytes(parts.number());
    if (!parts.ok() || kind >= std::size(kPoolParts)) {
      return fail(ErrorCode::Corrupt, "the payload ends too early");
    }
    auto restored = pool.add(static_cast<uint8_t>(kind), part, Buffer::copy_of(block));
    if (!restored) return std::unexpected(restored.error());
  }
  return pool.finish();
}

}  // namespace millrace::testing
