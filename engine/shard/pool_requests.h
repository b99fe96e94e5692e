// What can be asked of a worker pool, as plain values. The views in a request must live as long as the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/parts.h"
#include "engine/base/strong.h"
#include "engine/shard/pool.h"

namespace millrace {

struct LeaveRequest {
  ByteView worker;
  bool lets_go = false;  // of what it has in hand, too
};

// A message for a recipient's worker: payloads that are queued, or none, and a message that goes another way is
// counted.
struct RouteRequest {
  ByteView recipient;
  std::span<const ByteView> payloads;
  std::optional<uint64_t> block_ms;

  // The list of payloads while the request waits: the caller's list lives only as long as its call. Not for the caller
  // to set.
  std::vector<ByteView> held = {};

  void hold_payloads() {
    if (payloads.data() == held.data()) return;
    held.assign(payloads.begin(), payloads.end());
    payloads = held;
  }
};

struct DoneRequest {
  ByteView worker;
  ByteView recipient;
  uint64_t count = 1;
};

struct RecipientsRequest {
  ByteView worker;
  uint64_t count = 100;
  uint64_t cursor = 0;
};

struct PullRequest {
  ByteView worker;
  uint64_t count = 1;
  std::optional<uint64_t> block_ms;

  // It has found nothing and waits: if it finds nothing again, nothing has changed. Not for the caller to set.
  bool is_waiting = false;
};

struct PoolAckRequest {
  ByteView worker;
  ByteView recipient;
  Offset sequence;  // the last one that is acknowledged
};

struct PoolSetRequest {
  std::optional<uint64_t> stale_ms;
  std::optional<AssignmentPolicy> policy;

  // What `old` becomes.
  PoolSettings applied_to(PoolSettings old) const {
    return {.stale_ms = stale_ms.value_or(old.stale_ms), .policy = policy.value_or(old.policy)};
  }
};

// An effect that another engine has told: what apply() takes.
struct PoolEffect {
  enum class Kind { Clock, Seen, Settle, Part };
  Kind kind = Kind::Clock;
  PoolTime clock;  // of Clock
  ByteView bytes;  // of Seen
  Part part;       // of Part
};

}  // namespace millrace
