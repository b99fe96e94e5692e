// A small cache of unpacked bytes, for the packed blocks that were read last. All blocks of a packer (block_packer.h)
// share it. So a reader unpacks each block once, and many readers of the same block share one copy. For one thread.
//
// A reader keeps the result of open() while it uses the bytes, because the cache may drop the block meanwhile. The
// block that was opened last is always kept, however small the cache is.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "engine/base/buffer.h"
#include "engine/blocks/packing.h"

namespace millrace {

// Identifies the content of a packed block and is never reused. So freeing a block does not change the cache: its entry
// is not used any more, and is dropped later.
using PackedId = uint64_t;

class UnpackedBlocks {
 public:
  // REQUIRES: `zstd` outlives it.
  explicit UnpackedBlocks(ZstdContexts& zstd) : zstd_(zstd) {}

  // Returns the unpacked bytes of `packed`, which are `size` bytes.
  // REQUIRES: `packed` is valid, and `id` was never used for other content.
  std::shared_ptr<const Buffer> open(PackedId id, ByteView packed, uint32_t size);

  // Drops the content from the cache.
  void forget(PackedId id);

  // Sets how many bytes the cache may hold. Drops blocks at once if there are more.
  void set_limit(uint64_t bytes);

  uint64_t bytes() const { return bytes_; }
  size_t size() const { return by_id_.size(); }
  uint64_t hits() const { return hits_; }      // calls of open() that found the block in the cache
  uint64_t misses() const { return misses_; }  // calls of open() that had to unpack

 private:
  struct Entry {
    PackedId id;
    std::shared_ptr<const Buffer> bytes;
  };

  void trim();

  ZstdContexts& zstd_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<PackedId, std::list<Entry>::iterator> by_id_;
  uint64_t bytes_ = 0;
  uint64_t limit_ = uint64_t{16} * 1024 * 1024;
  uint64_t hits_ = 0;
  uint64_t misses_ = 0;
};

}  // namespace millrace
