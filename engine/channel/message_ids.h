// The ids of a channel's messages, to find duplicates: for each id where its message is,
// about eleven bytes. The ids themselves are in the blocks, once.
//
// An id lives exactly as long as its message. Eviction costs nothing here: an entry whose
// message has gone is dead, and is swept when its bucket is next touched.
#pragma once

#include <optional>

#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

class MessageIds {
 public:
  // Strangers choose ids: the key keeps them from choosing those that collide.
  explicit MessageIds(const HashKey& key) : key_(key) {}

  uint32_t hash(ByteView id) const { return static_cast<uint32_t>(keyed_hash(key_, id)); }

  // Where the message with this id is; nothing if there is none.
  std::optional<Offset> find(const MessageBlocks& messages, uint32_t hash, ByteView id) const;

  // Notes a message that is there. REQUIRES: find() knows no other with its id.
  void add(const MessageBlocks& messages, uint32_t hash, Offset offset);
  // The same if there may be one already: then the newer counts.
  void add_or_replace(const MessageBlocks& messages, uint32_t hash, ByteView id, Offset offset);

  // To be called when messages have gone.
  void shrink(const MessageBlocks& messages);

  MessageIds clone() const {
    MessageIds copy(key_);
    copy.index_ = index_.clone();
    return copy;
  }

  uint64_t memory() const { return index_.memory(); }
  // Every message is found by its id.
  const char* check(const MessageBlocks& messages) const;

 private:
  // The low bits of an offset are enough: no channel holds 2^32 messages at once.
  static Offset offset_of(const MessageBlocks& messages, uint32_t low);
  static bool lives(const MessageBlocks& messages, uint32_t low) {
    return offset_of(messages, low) >= messages.first();
  }
  static bool has_id(const MessageBlocks& messages, uint32_t low, ByteView id);

  HashKey key_;
  HashIndex<uint32_t> index_;
};

}  // namespace millrace
