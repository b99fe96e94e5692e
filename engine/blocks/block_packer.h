// Shared by packed blocks: the zstd contexts, the cache of unpacked blocks, and the ids of packed blocks in that cache.
// For one thread.
//
// A packed block points to the packer that packed or restored it, and is unpacked by it. So a packer must outlive the
// use of its blocks. Only freeing a block is allowed later, and on any thread: it does not touch the packer.
#pragma once

#include "engine/blocks/packing.h"
#include "engine/blocks/unpacked_blocks.h"

namespace millrace {

class BlockPacker {
 public:
  BlockPacker() : unpacked_(zstd_) {}
  BlockPacker(const BlockPacker&) = delete;
  BlockPacker& operator=(const BlockPacker&) = delete;

  ZstdContexts& zstd() { return zstd_; }
  UnpackedBlocks& unpacked() { return unpacked_; }
  // A number that was never used for other packed content.
  PackedId new_id() { return ++last_id_; }

 private:
  ZstdContexts zstd_;
  UnpackedBlocks unpacked_;
  PackedId last_id_ = 0;
};

}  // namespace millrace
