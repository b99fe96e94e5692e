// A recipient: somebody messages are for, and the one worker who has them all. A million
// of these is normal, so it is 40 bytes, its name behind them, and an entry in an index.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/bytes.h"
#include "engine/base/strong_id.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

// Where a recipient or worker is in its table: a number that stays.
using RecipientId = StrongId<struct RecipientIdName>;
using WorkerId = StrongId<struct WorkerIdName>;

// The payloads of a recipient that are not acknowledged. Offsets are sequences.
//
//        acknowledged     in flight      waiting
//   ................... [ 71 72 73 ] [ 74 75 76 77 ]
//                         ^ first        ^ undelivered
struct Queue {
  explicit Queue(Offset first) : messages(first), undelivered(first) {}

  MessageBlocks messages;
  Offset undelivered;  // the next one to deliver

  // Neighbours among the worker's recipients that have something to deliver, and among
  // those that have something in flight.
  RecipientId ready_before, ready_after;
  RecipientId held_before, held_after;

  uint64_t in_flight() const { return undelivered - messages.first(); }
  bool has_waiting() const { return undelivered < messages.next(); }
};

class Recipient {
 public:
  Recipient(const Recipient&) = delete;
  Recipient& operator=(const Recipient&) = delete;

  ByteView name() const { return {reinterpret_cast<const char*>(this + 1), name_size_}; }

  Offset next_sequence{1};  // of the next payload while there is no queue
  // Neighbours among the owner's recipients, in the order of their assignment.
  RecipientId before, after;
  uint32_t assigned = 0;  // number of the assignment to its owner; they only grow, and go round
  // From here on what every message needs, and then the name: close together, in one cache line or two.
  WorkerId owner;
  std::unique_ptr<Queue> queue;  // null: nothing is queued
  uint32_t routed = 0;           // messages that were handed out elsewhere and are not done

  uint64_t pending() const { return routed + (queue ? queue->messages.count() : 0); }
  // What a worker may be working on: another must not get hold of it.
  bool is_in_flight() const { return routed != 0 || (queue && queue->in_flight() != 0); }

  // What it holds elsewhere.
  uint64_t memory() const { return queue ? sizeof(Queue) - sizeof(MessageBlocks) + queue->messages.memory() : 0; }

 private:
  friend class RecipientChunks;

  // How much room it takes with its name.
  static uint32_t size_with(ByteView name) {
    return static_cast<uint32_t>((sizeof(Recipient) + name.size() + alignof(Recipient) - 1) & -alignof(Recipient));
  }
  uint32_t size() const { return size_with(name()); }

  // REQUIRES: there is room for size_with(name) bytes where it is made
  explicit Recipient(ByteView name) : name_size_(static_cast<uint16_t>(name.size())) {
    name.copy(reinterpret_cast<char*>(this + 1), name.size());
  }

  uint16_t name_size_;
};
static_assert(sizeof(Recipient) == 40);

}  // namespace millrace
