// A worker of a pool, and its recipients.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/strong.h"
#include "engine/shard/recipient.h"

namespace millrace {

// An intrusive list of recipients.
struct RecipientList {
  RecipientId first;
  RecipientId last;
};

struct Worker {
  enum class State : uint8_t {
    Working,
    Leaving,  // gets no new recipients; removed once it has none
    Dead,     // its recipients are being moved; its name is free again
  };

  std::string name;
  State state = State::Working;
  std::optional<PoolTime> seen;  // its last sign of life; nullopt if there was none
  PoolTime joined;

  RecipientList own;    // in the order of their assignment
  RecipientList ready;  // recipients with payloads to deliver, in turn
  RecipientList held;   // recipients with payloads in flight
  uint64_t recipients = 0;
  uint64_t busy = 0;     // recipients with pending messages
  uint64_t pending = 0;  // pending messages of all its recipients
  // Leaving: the next of its recipients to look at; none if all were looked at.
  RecipientId looking_at;
};

}  // namespace millrace
