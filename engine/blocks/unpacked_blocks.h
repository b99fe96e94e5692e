// The packed blocks that were read last, unpacked: a small cache for all blocks of a packer
// (block_packer.h), so that reading on through a block unpacks it once, and many readers of one
// place once for all of them. For one thread.
//
// A reader holds what open() returned for as long as it looks at the bytes: the cache may have
// dropped it by then. The block that was opened last is always kept, however small the cache.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "engine/base/buffer.h"
#include "engine/blocks/packing.h"

namespace millrace {

// Names the content of a packed block and is never used again: a block that is freed needs not
// tell the cache, and what is not asked for any more is dropped in time.
using PackedId = uint64_t;

class UnpackedBlocks {
 public:
  // REQUIRES: `zstd` outlives it.
  explicit UnpackedBlocks(ZstdContexts& zstd) : zstd_(zstd) {}

  // The `size` bytes that `packed` unpacks to.
  // REQUIRES: it does, and `id` has always stood for it.
  std::shared_ptr<const Buffer> open(PackedId id, ByteView packed, uint32_t size);

  // The content is not to be kept in memory.
  void forget(PackedId id);

  // How many bytes it may hold from now on; what is too much goes at once.
  void set_limit(uint64_t bytes);

  uint64_t bytes() const { return bytes_; }
  size_t size() const { return by_id_.size(); }
  uint64_t hits() const { return hits_; }      // openings that found it here,
  uint64_t misses() const { return misses_; }  // and that had to unpack

 private:
  struct Entry {
    PackedId id;
    std::shared_ptr<const Buffer> bytes;
  };

  void trim();

  ZstdContexts& zstd_;
  std::list<Entry> entries_;  // the one used last first
  std::unordered_map<PackedId, std::list<Entry>::iterator> by_id_;
  uint64_t bytes_ = 0;
  uint64_t limit_ = uint64_t{16} * 1024 * 1024;
  uint64_t hits_ = 0;
  uint64_t misses_ = 0;
};

}  // namespace millrace
