// An index of the ids of a channel's messages, to find duplicates. It stores the place of each message, about eleven
// bytes each; the ids themselves are only in the blocks.
//
// An id exists exactly as long as its message. Eviction does not touch the index: the entry of an evicted message is
// dead, and is removed when its bucket is next changed.
#pragma once

#include <optional>

#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

class MessageIds {
 public:
  // Clients choose ids: the secret key prevents them from choosing ids that collide.
  explicit MessageIds(const HashKey& key) : key_(key) {}

  uint32_t hash(ByteView id) const { return static_cast<uint32_t>(keyed_hash(key_, id)); }

  // Where the message with this id is; nullopt if there is none.
  std::optional<Offset> find(const MessageBlocks& messages, uint32_t hash, ByteView id) const;

  // Adds an existing message. REQUIRES: find() finds no other with its id.
  void add(const MessageBlocks& messages, uint32_t hash, Offset offset);
  // The same if there may be another one already: the newer one replaces it.
  void add_or_replace(const MessageBlocks& messages, uint32_t hash, ByteView id, Offset offset);

  // Called after messages were evicted.
  void shrink(const MessageBlocks& messages);

  MessageIds clone() const {
    MessageIds copy(key_);
    copy.index_ = index_.clone();
    return copy;
  }

  uint64_t memory() const { return index_.memory(); }
  // Checks that every message is found by its id; for tests.
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
