// The payloads of a recipient that are not acknowledged. Offsets are sequences.
//
//        acknowledged     in flight      waiting
//   ................... [ 71 72 73 ] [ 74 75 76 77 ]
//                         ^ first        ^ undelivered
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/strong.h"
#include "engine/base/strong_id.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

// The place of a recipient or worker in its table; it does not change.
using RecipientId = StrongId<struct RecipientIdName>;
using WorkerId = StrongId<struct WorkerIdName>;

// How often payloads came back. Each time, all payloads in flight come back; these are the ones before `end`. So a
// payload failed as often as there were returns with an `end` after it:
//
//   71 72 73 74 75        end 74, twice; end 73, once:   71 and 72 three times, 73 twice
struct ComeBack {
  Offset end;
  uint32_t times = 0;

  friend bool operator==(const ComeBack&, const ComeBack&) = default;
};

// Fields that only few queues need.
struct QueueTrouble {
  std::vector<ComeBack> came_back;  // by ascending `end`
  PoolTime delayed_until;           // no delivery before this time; 0: not delayed
};

struct Queue {
  explicit Queue(Offset first) : messages(first), undelivered(first) {}

  MessageBlocks messages;
  Offset undelivered;                     // the next payload to deliver
  std::unique_ptr<QueueTrouble> trouble;  // null: nothing came back, and it is not delayed

  // Links in the worker's list of recipients with payloads to deliver, and in its list of recipients with payloads in
  // flight.
  RecipientId ready_before, ready_after;
  RecipientId held_before, held_after;

  uint64_t in_flight() const { return undelivered - messages.first(); }
  bool is_delayed() const { return trouble && trouble->delayed_until != PoolTime(0); }
  // Whether a payload can be delivered now.
  bool is_ready() const { return undelivered < messages.next() && !is_delayed(); }

  // How often the payload was delivered and came back.
  uint32_t failures(Offset sequence) const;
  // All payloads in flight come back.
  void take_back();
  // Drops the failures of payloads before `first`.
  void forget_failures();
  void delay_until(PoolTime date);

  uint64_t memory() const;
};

}  // namespace millrace
