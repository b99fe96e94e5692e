// Finds where a tag is stored in the block that is being written, so that no block stores a tag twice. Only the newest
// block of a log has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/record_format.h"

namespace millrace {

class TagIndex {
 public:
  // The position of `tag` in the block that begins at `block`, or 0.
  // O(1); the tag of the previous message is found without hashing.
  TagPosition find(const char* block, ByteView tag);

  // The position that find() returned last, or that was added since.
  TagPosition recent() const { return recent_; }

  // REQUIRES: find(block, tag_at(block, position)) was 0.
  void add(const char* block, TagPosition position);

  // All positions added since the last clear(), in no particular order.
  std::vector<TagPosition> positions() const;

  void clear();
  size_t memory() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t hash;
    TagPosition position;  // 0: unused slot
  };

  static uint32_t hash_of(ByteView tag);
  void place(Slot slot);
  void grow();

  // A log with a single tag, the usual small log, never allocates the table.
  TagPosition recent_ = 0;
  uint32_t count_ = 0;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most 3/4 full
};

}  // namespace millrace
