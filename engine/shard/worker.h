// A worker of a pool, and the recipients that are its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/strong.h"
#include "engine/shard/recipient.h"

namespace millrace {

// A list through the recipients themselves.
struct RecipientList {
  RecipientId first;
  RecipientId last;
};

struct Worker {
  enum class State : uint8_t {
    Working,
    Leaving,  // gets nothing new; goes once it owns nothing
    Dead,     // its recipients are being moved; nobody of that name any more
  };

  std::string name;
  State state = State::Working;
  std::optional<PoolTime> seen;  // when it last showed itself; nothing if it never did
  PoolTime joined;

  RecipientList own;    // in the order of their assignment
  RecipientList ready;  // those with something to deliver, in turn
  RecipientList held;   // those with something in flight from their queue
  uint64_t recipients = 0;
  uint64_t busy = 0;     // recipients with something pending
  uint64_t pending = 0;  // of all its recipients
  // Leaving: the next of its own to look at, none if all have been.
  RecipientId looking_at;
};

}  // namespace millrace
