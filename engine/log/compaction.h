// Finds the messages of a log that have a newer one with the same tag.
//
// It knows of every tag where its newest message is, by a hash of the tag: 12 bytes each,
// whatever the tag's length. Where a message is written, the one it replaces is looked up
// here, and the block of that one is remembered as dirty. Only dirty blocks are looked at
// again.
//
//   tag "a" was at 7, a message for "a" is written at 31:   newest 7 -> 31,
//                                                           the block of 7 is dirty
//
// Two tags may have the same hash. That one message replaces another is therefore only
// assumed when it is written, and proved by comparing the tags themselves before anything
// goes: when the dirty block is looked at. If the tags differ, the older message gets an
// entry of its own; from then on tags with that hash are compared before anything is
// assumed. So no newest message is ever lost, and none stays that is not the newest.
//
// Every message is in one of these states, which check() proves: its offset is an entry,
// or its block is dirty, or it lies in what is not indexed or not scanned yet.
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
  Offset reached;           // how far the state's work has come, while there is any
  uint64_t superseded = 0;  // messages known to have a newer one and still there, or evicted meanwhile
};

class Compaction {
 public:
  // Begins by indexing the log, which may be large, a slice at a time; then it scans all
  // of it once. Tags are hashed by `tag_key`, which is never saved. It should be random: clients
  // choose tags, and could otherwise choose many with one hash.
  Compaction(const MessageBlocks& messages, const HashKey& tag_key);

  // A message was appended. O(log n) of the number of blocks.
  void on_append(const MessageBlocks& messages, Offset offset, ByteView tag);

  // The blocks between these offsets, [from, to), were rewritten as `blocks`. If any of
  // it was dirty, all of it is.
  void on_rewritten(Offset from, Offset to, const std::vector<Block>& blocks);

  // What can go, of about `budget` messages looked at. REQUIRES: it is removed.
  Removal find(const MessageBlocks& messages, uint64_t budget);

  // True if find() has anything to look at.
  bool has_work(const MessageBlocks& messages) const;
  CompactionProgress progress(const MessageBlocks& messages) const;

  // Frees a part of what it knows, about `count` tags of it; false once there is no more. REQUIRES: nothing but more of
  // this, and its destruction, follows.
  bool free_some(size_t count);

  uint64_t memory() const { return sizeof(*this) + newest_.memory() + dirty_.memory(); }
  const char* check(const MessageBlocks& messages) const;

 private:
  // An offset where an eighth byte of alignment would cost four.
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
  // The entry that is for this very tag, by comparing; null if none is.
  Place* entry_for(const MessageBlocks& messages, uint32_t hash, ByteView tag);
  void add_entry(const MessageBlocks& messages, uint32_t hash, Offset offset);
  void note(const MessageBlocks& messages, Offset offset, ByteView tag);
  uint64_t index_some(const MessageBlocks& messages, uint64_t budget);
  // False if there is none to look at.
  bool next_block(const MessageBlocks& messages, Offset& from);
  uint64_t look_at_block(const MessageBlocks& messages, Offset from, Removal& found);
  bool can_go(const MessageBlocks& messages, const Message& message);
  void make_dirty(const MessageBlocks& messages, Offset offset);
  // True if there was one.
  bool clean(Offset from, Offset to);

  HashKey tag_key_;
  HashIndex<Place> newest_;
  OrderedChunks<uint64_t, itself> dirty_;  // the first offsets of dirty blocks
  Offset indexed_to_;                      // all before are in newest_ or superseded
  Offset scanned_to_;                      // blocks from here to scan_end_ count as dirty
  Offset scan_end_;
  Offset reached_;  // the pass over the dirty blocks
  uint64_t superseded_ = 0;
};

}  // namespace millrace
