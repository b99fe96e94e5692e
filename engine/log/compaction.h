// Finds the messages of a log that have a newer one with the same tag.
//
// For each tag it stores the offset of the newest message, under a hash of the tag: 12 bytes per tag, whatever the
// tag's length. When a message is written, the message it replaces is looked up here, and the block of that older
// message is marked dirty. Only dirty blocks are looked at again.
//
//   tag "a" was at 7, a message for "a" is written at 31:   newest 7 -> 31,
//                                                           the block of 7 is dirty
//
// Two tags may have the same hash. So when a message is written, it is only assumed that it replaces the older one. The
// tags themselves are compared later, when the dirty block is looked at and before any message is removed. If the tags
// differ, the older message gets its own entry; from then on, tags with that hash are compared before anything is
// assumed. So the newest message of a tag is never lost, and all older ones are removed.
//
// Every message is in one of these states, which check() proves: its offset is an entry, or its block is dirty, or it
// is in the part of the log that is not indexed or not scanned yet.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/ordered_chunks.h"
#include "engine/base/strong.h"
#include "engine/blocks/removal.h"

namespace millrace {

class Block;
class MessageBlocks;
struct Message;

struct CompactionProgress {
  enum class State { Off, Indexing, Compacting, Clean } state = State::Off;
  Offset reached;           // the progress of the work in this state
  uint64_t superseded = 0;  // messages known to have a newer one; some may have been evicted since
};

class Compaction {
 public:
  // First indexes the log, one slice at a time because it may be large; then scans all of it once. Tags are hashed by
  // `tag_key`, which is never saved. It should be random, so that a client cannot choose many tags with the same hash.
  Compaction(const MessageBlocks& messages, const HashKey& tag_key);

  // A message was appended. O(log n) of the number of blocks.
  void on_append(const MessageBlocks& messages, Offset offset, ByteView tag);

  // The blocks between these offsets, [from, to), were rewritten as `blocks`. If any of the old blocks was dirty, all
  // of the new ones are.
  void on_rewritten(Offset from, Offset to, const std::vector<Block>& blocks);

  // Looks at about `budget` messages and returns those that can be removed. REQUIRES: the caller removes them.
  Removal find(const MessageBlocks& messages, uint64_t budget);

  // True if find() has anything to look at.
  bool has_work(const MessageBlocks& messages) const;
  CompactionProgress progress(const MessageBlocks& messages) const;

  // Frees the entries of about `count` tags; false once there are no more. REQUIRES: from then on the object is only
  // freed further or destroyed.
  bool free_some(size_t count);

  uint64_t memory() const { return sizeof(*this) + newest_.memory() + dirty_.memory(); }
  const char* check(const MessageBlocks& messages) const;

 private:
  // An offset with an alignment of four bytes: an alignment of eight would waste four bytes per entry.
  struct Place {
    uint32_t low, high;
    explicit Place(Offset offset)
        : low(static_cast<uint32_t>(offset.value())), high(static_cast<uint32_t>(offset.value() >> 32)) {}
    Place() = default;
    Offset offset() const { return Offset(uint64_t{high} << 32 | low); }
    friend bool operator==(const Place&, const Place&) = default;
  };
  static uint64_t itself(const uint64_t& first) { return first; }

  // The entries with a hash whose messages have not been evicted.
  struct Entries {
    Place* only = nullptr;
    uint64_t count = 0;
  };

  uint32_t hash_of(ByteView tag) const { return static_cast<uint32_t>(keyed_hash(tag_key_, tag)); }
  Entries entries_of(const MessageBlocks& messages, uint32_t hash);
  // The entry of exactly this tag, found by comparing tags; null if there is none.
  Place* entry_for(const MessageBlocks& messages, uint32_t hash, ByteView tag);
  void add_entry(const MessageBlocks& messages, uint32_t hash, Offset offset);
  void note(const MessageBlocks& messages, Offset offset, ByteView tag);
  uint64_t index_some(const MessageBlocks& messages, uint64_t budget);
  // False if there is no block to look at.
  bool next_block(const MessageBlocks& messages, Offset& from);
  uint64_t look_at_block(const MessageBlocks& messages, Offset from, Removal& found);
  bool can_go(const MessageBlocks& messages, const Message& message);
  void make_dirty(const MessageBlocks& messages, Offset offset);
  // True if there was a dirty block.
  bool clean(Offset from, Offset to);

  HashKey tag_key_;
  HashIndex<Place> newest_;
  OrderedChunks<uint64_t, itself> dirty_;  // the first offsets of dirty blocks
  Offset indexed_to_;                      // all messages before it are in newest_ or superseded
  Offset scanned_to_;                      // blocks from here to scan_end_ count as dirty
  Offset scan_end_;
  Offset reached_;  // the pass over the dirty blocks
  uint64_t superseded_ = 0;
};

}  // namespace millrace
