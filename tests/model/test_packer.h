// A packer for all blocks of a test binary, like the one that the module has for its process.
#pragma once

#include "engine/base/keyed_hash.h"
#include "engine/blocks/block_packer.h"

namespace millrace::testing {

inline BlockPacker& test_packer() {
  static BlockPacker packer;
  return packer;
}

// A key for the hashes of tags.
inline constexpr HashKey kTestTagKey{};

}  // namespace millrace::testing
