// A recipient of messages, and the one worker that gets all of them. A million of these is normal, so a recipient takes
// 40 bytes, followed by its name, and an entry in an index.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/bytes.h"
#include "engine/shard/queue.h"

namespace millrace {

class Recipient {
 public:
  Recipient(const Recipient&) = delete;
  Recipient& operator=(const Recipient&) = delete;

  ByteView name() const { return {reinterpret_cast<const char*>(this + 1), name_size_}; }

  Offset next_sequence{1};  // of the next payload while there is no queue
  // Links in the list of the owner's recipients, in the order of their assignment.
  RecipientId before, after;
  uint32_t assigned = 0;  // number of the assignment to its owner; increases, and wraps around
  // The fields below are needed for every message, and the name follows them: together they are in one or two cache
  // lines.
  WorkerId owner;
  std::unique_ptr<Queue> queue;  // null: no payloads are queued
  uint32_t routed = 0;           // messages that were sent by other means and are not done

  uint64_t pending() const { return routed + (queue ? queue->messages.count() : 0); }
  // True if its worker may be working on messages: then no other worker may get them.
  bool is_in_flight() const { return routed != 0 || (queue && queue->in_flight() != 0); }

  // Bytes of memory outside of the object.
  uint64_t memory() const { return queue ? queue->memory() : 0; }

  // When it was last used, in steps of the pool's time (Pool::Notes). Not saved, not copied.
  uint16_t used_at() const { return used_at_; }
  void set_used_at(uint16_t step) { used_at_ = step; }

 private:
  friend class RecipientChunks;

  // The size including its name.
  static uint32_t size_with(ByteView name) {
    return static_cast<uint32_t>((sizeof(Recipient) + name.size() + alignof(Recipient) - 1) & -alignof(Recipient));
  }
  uint32_t size() const { return size_with(name()); }

  // Marks an unused place.
  struct Free {};
  Recipient(Free, uint32_t size) : next_sequence(0), name_size_(static_cast<uint16_t>(size - sizeof(Recipient))) {}
  bool is_free() const { return next_sequence == Offset(0); }

  // REQUIRES: there is room for size_with(name) bytes at `this`
  explicit Recipient(ByteView name) : name_size_(static_cast<uint16_t>(name.size())) {
    name.copy(reinterpret_cast<char*>(this + 1), name.size());
  }

  uint16_t name_size_;
  uint16_t used_at_ = 0;
};
static_assert(sizeof(Recipient) == 40);

}  // namespace millrace
