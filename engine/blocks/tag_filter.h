// A Bloom filter of the tags in a full block, with at least 8 bits per tag. A read by tag skips a block that cannot
// contain the tag, without touching the block's bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/record_format.h"

namespace millrace {

class TagFilter {
 public:
  // A filter without tags answers "maybe" for every tag.
  TagFilter() = default;

  // For the tags stored at `positions` of the block that begins at `block`.
  static TagFilter build(const char* block, std::span<const TagPosition> positions);

  // A tag that is hashed once and then looked up in many blocks.
  struct Probe {
    explicit Probe(ByteView tag);
    uint64_t hash;
  };

  // False only if the block certainly has no message with this tag.
  bool may_hold(Probe probe) const;

  TagFilter clone() const;
  uint64_t memory() const { return word_count_ * sizeof(uint64_t); }

 private:
  void set(uint64_t hash);

  std::unique_ptr<uint64_t[]> words_;
  uint32_t word_count_ = 0;  // a power of two
};

}  // namespace millrace
