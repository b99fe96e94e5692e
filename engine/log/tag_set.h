// The tags that a read asks for. A message is checked by hash, so the cost does not depend on the number of tags.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/keyed_hash.h"
#include "engine/blocks/tag_filter.h"

namespace millrace {

class TagSet {
 public:
  // Borrows the key and the tags. The key should be random, so that a client cannot choose tags that all have the same
  // hash.
  TagSet(const HashKey& key, std::span<const ByteView> tags);

  bool contains(ByteView tag) const;
  // Probes for the tag filters of blocks.
  const std::vector<TagFilter::Probe>& probes() const { return probes_; }

 private:
  struct Slot {
    uint64_t hash;
    const ByteView* tag;  // null: unused slot
  };

  const HashKey& key_;
  std::span<const ByteView> tags_;
  std::vector<TagFilter::Probe> probes_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full; empty if the tags are few
};

}  // namespace millrace
