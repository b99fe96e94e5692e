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

// Where a recipient or worker is in its table: a number that stays.
using RecipientId = StrongId<struct RecipientIdName>;
using WorkerId = StrongId<struct WorkerIdName>;

// How often payloads came back: each time all that were in flight did, which are those before `end`. So a payload was
// delivered in vain as often as came back with an end behind it:
//
//   71 72 73 74 75        end 74, twice; end 73, once:   71 and 72 three times, 73 twice
struct ComeBack {
  Offset end;
  uint32_t times = 0;

  friend bool operator==(const ComeBack&, const ComeBack&) = default;
};

// What few queues have.
struct QueueTrouble {
  std::vector<ComeBack> came_back;  // ends rise
  PoolTime delayed_until;           // nothing is delivered before; 0: it is not delayed
};

struct Queue {
  explicit Queue(Offset first) : messages(first), undelivered(first) {}

  MessageBlocks messages;
  Offset undelivered;                     // the next one to deliver
  std::unique_ptr<QueueTrouble> trouble;  // null: nothing came back, and it is not delayed

  // Neighbours among the worker's recipients that have something to deliver, and among
  // those that have something in flight.
  RecipientId ready_before, ready_after;
  RecipientId held_before, held_after;

  uint64_t in_flight() const { return undelivered - messages.first(); }
  bool is_delayed() const { return trouble && trouble->delayed_until != PoolTime(0); }
  // Whether something can be delivered now.
  bool is_ready() const { return undelivered < messages.next() && !is_delayed(); }

  // How often the payload was delivered and came back.
  uint32_t failures(Offset sequence) const;
  // All that is in flight comes back.
  void take_back();
  // Those before `first` have gone.
  void forget_failures();
  void delay_until(PoolTime date);

  uint64_t memory() const;
};

}  // namespace millrace
