// Says of a full block which tags it cannot hold, so that a read by tag skips the
// block without touching its bytes: a Bloom filter of at least 8 bits a tag.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/record_format.h"

namespace millrace {

class TagFilter {
 public:
  // A filter that has been built for nothing says "maybe" to everything.
  TagFilter() = default;

  // For the tags stored at `positions` of the block that begins at `block`.
  static TagFilter build(const char* block, std::span<const TagPosition> positions);

  // A tag hashed once, to be asked of many blocks.
  struct Probe {
    explicit Probe(ByteView tag);
    uint64_t hash;
  };

  // False only if the block surely has no message with this tag.
  bool may_hold(Probe probe) const;

  TagFilter clone() const;
  uint64_t memory() const { return word_count_ * sizeof(uint64_t); }

 private:
  void set(uint64_t hash);

  std::unique_ptr<uint64_t[]> words_;
  uint32_t word_count_ = 0;  // a power of two
};

}  // namespace millrace
