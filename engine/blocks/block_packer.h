// What packed blocks share: the zstd contexts, the cache of unpacked blocks, and the numbers that
// the cache knows packed blocks by. For one thread.
//
// A packed block points to the packer that packed or restored it, and its readers unpack it there.
// So a packer must outlive its blocks, except that they may be freed after it, and on any thread:
// freeing a block does not touch its packer.
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
  // A number that no other packed content has had.
  PackedId new_id() { return ++last_id_; }

 private:
  ZstdContexts zstd_;
  UnpackedBlocks unpacked_;
  PackedId last_id_ = 0;
};

}  // namespace millrace
